import type { Caller } from "../call.ts";

/** Wraps every request. */
export interface Telemetry {
  readonly around: <R>(request: ObservedRequest, handle: () => Promise<R>) => Promise<R>;
  /** Called when a client connects for several requests; returns a function for its end. */
  readonly session: (transport: Caller["transport"]) => (protocolVersion: string | undefined) => void;
}

/** Without arguments. */
export interface ObservedRequest {
  readonly method: string;
  readonly id: string;
  /** A tool or prompt that the server has. */
  readonly target: string | undefined;
  readonly uri: string | undefined;
  readonly transport: Caller["transport"];
  readonly protocolVersion: string | undefined;
  readonly sessionId: string | undefined;
  /** Carries the client's trace context. */
  readonly meta: Readonly<Record<string, unknown>>;
}
