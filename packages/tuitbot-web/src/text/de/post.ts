export { media, post } from "../en/post.ts";
