import type { ReadBody } from "./http-handler.ts";

/**
 * Answers requests outside `/mcp`: web pages and their API. Host and Origin of a request have been checked, the MCP token
 * has not: an extension decides who may do what.
 */
export interface HttpExtension {
  /**
   * Resolves to undefined if there is nothing at this address. `address` is the network address of the client. Call
   * `onKnown` when the caller is authenticated, before the body is read: until then the request has little time, and is
   * rejected if too many unauthenticated requests are open.
   */
  readonly answer: (
    request: Request,
    readBody: ReadBody,
    address: string,
    onKnown: () => void,
  ) => Promise<Response | undefined>;
  /** Ends its open streams. */
  readonly close: () => Promise<void>;
}
