import type { Caller } from "../call.ts";

/** Wraps every request that a server handles. */
export interface Telemetry {
  readonly around: <R>(request: ObservedRequest, handle: () => Promise<R>) => Promise<R>;
  /** Called when a client connects for more than one request. The returned function is called when it disconnects. */
  readonly session: (transport: Caller["transport"]) => (protocolVersion: string | undefined) => void;
}

/** A request as telemetry sees it, without arguments. */
export interface ObservedRequest {
  readonly method: string;
  readonly id: string;
  /** The tool or prompt, if the server has one of this name. */
  readonly target: string | undefined;
  /** The requested resource. */
  readonly uri: string | undefined;
  readonly transport: Caller["transport"];
  readonly protocolVersion: string | undefined;
  readonly sessionId: string | undefined;
  /** The `_meta` of the request, which carries the client's trace context. */
  readonly meta: Readonly<Record<string, unknown>>;
}
