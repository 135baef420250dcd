import type { ReadBody } from "./http-handler.ts";

/**
 * What a server answers outside `/mcp`: pages for a person, and what these call. Host and Origin of a request were
 * checked before; the token of MCP was not, so a site decides itself who may do what.
 */
export interface Site {
  /**
   * Undefined where nothing is at this address. `address` is the network address that the request came from. `onKnown`
   * is called when the caller has shown who they are, before the body is read: until then the request has little time,
   * and is refused if strangers have too many open.
   */
  readonly answer: (
    request: Request,
    readBody: ReadBody,
    address: string,
    onKnown: () => void,
  ) => Promise<Response | undefined>;
  /** Ends the streams that it has open. */
  readonly close: () => Promise<void>;
}
