import type { GateOptions } from "./http-gate.ts";
import type { OAuthOptions } from "./oauth.ts";
import type { ProbeOptions, Probes } from "./probes.ts";
import type { Principal } from "./request.ts";
import type { SignIn } from "./sign-in.ts";
import type { Telemetry } from "./telemetry.ts";

/** Options of an HTTP handler. */
export interface HttpHandlerOptions extends GateOptions, ProbeOptions {
  /** For tokens other than the shared one; undefined if unknown. */
  readonly identify?: (token: string) => Promise<Principal | undefined>;
  readonly oauth?: OAuthOptions;
  /** From `openSignIn`. */
  readonly signIn?: SignIn;
  /**
   * Sessions let legacy clients answer questions and cancel calls. False keeps no state, for replicas without
   * sticky routing; calls that need consent are then refused.
   */
  readonly legacySessions?: boolean;
  readonly maxBodyBytes?: number;
  readonly extension?: HttpExtension;
  readonly onError?: (error: Error) => void;
  readonly telemetry?: Telemetry;
  /** False makes the SDK handle every request, for tests and debugging. */
  readonly fastPath?: boolean;
}

/** An app as a web-standard handler without a socket. */
export interface HttpHandler {
  readonly fetch: (request: Request) => Promise<Response>;
  /** Takes a function for the body, because web streams take longer than most calls. */
  readonly answer: (
    request: Request,
    readBody: ReadBody,
    address?: string,
    onKnown?: () => void,
  ) => Promise<Response>;
  readonly probes: Probes;
  /** True for notifications, which can end at any time without loss. */
  readonly isListening: (response: Response) => boolean;
  readonly close: () => Promise<void>;
}

/** Answers requests outside `/mcp`. Host and Origin have been checked, the MCP token has not. */
export interface HttpExtension {
  /**
   * Undefined if nothing is there. Call `onKnown` once the caller is authenticated, before the body is read:
   * unauthenticated requests have little time and room.
   */
  readonly answer: (
    request: Request,
    readBody: ReadBody,
    address: string,
    onKnown: () => void,
  ) => Promise<Response | undefined>;
  readonly close: () => Promise<void>;
}

export type ReadBody = (maxBytes: number) => Promise<Uint8Array | undefined>;
