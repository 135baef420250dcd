export {
  type CashtagRange,
  type HashtagRange,
  type MentionRange,
  POST_LIMIT,
  type PostText,
  type PostWeight,
  parsePost,
  type TextProblem,
  type UrlRange,
  weighParts,
  weighPost,
} from "./parse-post.ts";
export { URL_WEIGHT, type WeightedPart } from "./weight.ts";
