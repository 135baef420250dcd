/** The used parts of the AI SDK, listed because a bundle includes all of a package imported lazily as a whole. */
export { AISDKError, APICallError, generateText } from "ai";
