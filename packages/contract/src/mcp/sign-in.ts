import type { AuthInfo } from "@modelcontextprotocol/server";
import type { ReadBody } from "./http-options.ts";
import type { ResourceServer } from "./oauth.ts";

/** As returned by `openSignIn` of `@toolpact/contract/sign-in`. */
export interface SignIn {
  /** For clients and browsers; undefined for the listening address. */
  readonly publicUrl: string | undefined;
  /** Sets the address if there is no public one. */
  readonly listensAt: (origin: string) => void;
  /** Connects it to an app, with its tools' scopes. */
  readonly connect: (scopes: readonly string[], onError: (error: Error) => void) => SignInEndpoints;
}

export interface SignInEndpoints extends ResourceServer {
  readonly identify: (token: string) => Promise<AuthInfo | Response | undefined>;
  /** A caller without a token, for tools without scopes; undefined if a token is required. */
  readonly anonymous: AuthInfo | undefined;
  /** Scopes a call requires beyond its declaration. */
  readonly missingScopes: (tool: string, auth: AuthInfo) => readonly string[];
  /** Answers requests under `/oauth/`. */
  readonly answer: (request: Request, readBody: ReadBody, address: string) => Promise<Response | undefined>;
}
