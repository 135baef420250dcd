import type { AuthInfo } from "@modelcontextprotocol/server";
import type { ReadBody } from "./http-options.ts";
import type { ResourceServer } from "./oauth.ts";

/** Lets users sign their clients in at this server. `openSignIn` of `@toolpact/contract/sign-in` returns it. */
export interface SignIn {
  /** The address for clients and browsers; undefined for the one the server listens at. */
  readonly publicUrl: string | undefined;
  /** Sets the address if there is no public one. */
  readonly listensAt: (origin: string) => void;
  /** Connects it to an app, given the scopes of its tools. */
  readonly connect: (scopes: readonly string[], onError: (error: Error) => void) => SignInEndpoints;
}

/** The sign-in of one app. */
export interface SignInEndpoints extends ResourceServer {
  /** Returns the caller of a token that was issued here. */
  readonly identify: (token: string) => Promise<AuthInfo | Response | undefined>;
  /** A caller without a token, who may call the tools that require no scope; undefined if a token is required. */
  readonly anonymous: AuthInfo | undefined;
  /** Returns the scopes that a call of this tool requires in addition to those of its declaration. */
  readonly missingScopes: (tool: string, auth: AuthInfo) => readonly string[];
  /** Answers the requests of clients and browsers under `/oauth/`. */
  readonly answer: (request: Request, readBody: ReadBody, address: string) => Promise<Response | undefined>;
}
