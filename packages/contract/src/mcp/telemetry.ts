import type { Caller } from "../call.ts";

/** Is around every request that a server handles. Where there is none, requests are handled as if it did not exist. */
export interface Telemetry {
  readonly around: <R>(request: ObservedRequest, handle: () => Promise<R>) => Promise<R>;
  /** A client has connected for more than one request. The function that is returned is called when it has gone. */
  readonly session: (transport: Caller["transport"]) => (protocolVersion: string | undefined) => void;
}

/** One request as telemetry sees it: none of its arguments. */
export interface ObservedRequest {
  readonly method: string;
  readonly id: string;
  /** The tool or prompt, where the server has one of this name: a client may ask for any. */
  readonly target: string | undefined;
  /** The resource that is read. */
  readonly uri: string | undefined;
  readonly transport: Caller["transport"];
  readonly protocolVersion: string | undefined;
  readonly sessionId: string | undefined;
  /** The `_meta` of the request, in which a client sends its trace. */
  readonly meta: Readonly<Record<string, unknown>>;
}
