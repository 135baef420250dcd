import type { GateOptions } from "./http-gate.ts";
import type { OAuthOptions } from "./oauth.ts";
import type { ProbeOptions, Probes } from "./probes.ts";
import type { Principal } from "./request.ts";
import type { SignIn } from "./sign-in.ts";
import type { Telemetry } from "./telemetry.ts";

/** Options of an HTTP handler. */
export interface HttpHandlerOptions extends GateOptions, ProbeOptions {
  /** Returns the principal of a token other than the shared one; undefined if it is not known. */
  readonly identify?: (token: string) => Promise<Principal | undefined>;
  readonly oauth?: OAuthOptions;
  /** Lets users sign clients in at this server, from `openSignIn`. */
  readonly signIn?: SignIn;
  /**
   * Sessions for clients before 2026, which need them to answer questions and to cancel calls. False keeps no state in
   * this process, for replicas without sticky routing: calls of such clients that need the user's consent are refused.
   */
  readonly legacySessions?: boolean;
  readonly maxBodyBytes?: number;
  /** Answers requests outside `/mcp`. */
  readonly extension?: HttpExtension;
  readonly onError?: (error: Error) => void;
  readonly telemetry?: Telemetry;
  /** False turns the fast path off: the SDK handles every request. For tests and debugging. */
  readonly fastPath?: boolean;
}

/** An app as a web-standard request handler without a socket, to test or embed. */
export interface HttpHandler {
  readonly fetch: (request: Request) => Promise<Response>;
  /** The same with a separate function to read the body: web streams take longer than most calls. */
  readonly answer: (
    request: Request,
    readBody: ReadBody,
    address?: string,
    onKnown?: () => void,
  ) => Promise<Response>;
  /** `/healthz`, `/readyz` and `/metrics`. */
  readonly probes: Probes;
  /** True for a stream of notifications, which can end at any time without loss. */
  readonly isListening: (response: Response) => boolean;
  readonly close: () => Promise<void>;
}

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

/** Reads a body; undefined if it is larger than `maxBytes`. */
export type ReadBody = (maxBytes: number) => Promise<Uint8Array | undefined>;
