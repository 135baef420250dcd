/** A bundle would include the whole package if it were imported lazily itself. */
export { AISDKError, APICallError, generateText } from "ai";
