export type { CashtagRange, HashtagRange, MentionRange, UrlRange } from "./entities.ts";
export {
  POST_LIMIT,
  type PostText,
  type PostWeight,
  parsePost,
  type TextProblem,
  weighPost,
} from "./parse-post.ts";
