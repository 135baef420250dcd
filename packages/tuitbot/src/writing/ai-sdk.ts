/** What is used of the AI SDK. Named here, since a bundle holds all of a package that is imported whole and lazily. */
export { AISDKError, APICallError, generateText } from "ai";
