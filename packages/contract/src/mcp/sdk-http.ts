import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
} from "@modelcontextprotocol/server";
import type { McpApp } from "./app.ts";
import { type ClientLink, internals } from "./internals.ts";
import { LegacySessions } from "./legacy-sessions.ts";
import { knownPrincipal, type Principal } from "./request.ts";
import { ListenedBus } from "./resources.ts";
import { newServerOf } from "./server.ts";

interface SdkHttpOptions {
  readonly link: Omit<ClientLink, "era">;
  readonly hasSessions: boolean;
  readonly maxBodyBytes: number;
  readonly onError: ((error: Error) => void) | undefined;
}

export interface SdkHttp {
  readonly fetch: (
    request: Request,
    parsedBody: unknown,
    authInfo: AuthInfo | undefined,
  ) => Promise<Response>;
  readonly isLegacy: (request: Request, body: unknown) => Promise<boolean>;
  /** Undefined if sessions are off. */
  readonly sessions: LegacySessions | undefined;
  readonly close: () => Promise<unknown>;
}

export function sdkHttp(app: McpApp, { link, hasSessions, maxBodyBytes, onError }: SdkHttpOptions): SdkHttp {
  const { updates, onListening } = app[internals];
  const newServer = newServerOf(app);
  const linkOf = (principal: Principal | undefined) =>
    principal === undefined ? link : { ...link, principal };
  const newHttpServer = ({ era, authInfo }: McpRequestContext) =>
    newServer({ ...linkOf(knownPrincipal(authInfo)), era, isStateless: era === "legacy" });
  const sdk = createMcpHandler(newHttpServer, {
    maxRequestBodySize: maxBodyBytes,
    bus: new ListenedBus(onListening, onError),
    ...(onError && { onerror: onError }),
  });
  const { notify } = sdk;
  updates.add(notify);
  const sessions = hasSessions
    ? new LegacySessions((principal) => newServer({ ...linkOf(principal), era: "legacy" }))
    : undefined;
  return {
    fetch: (request, parsedBody, authInfo) =>
      sdk.fetch(request, { parsedBody, ...(authInfo && { authInfo }) }),
    isLegacy: isLegacyRequest,
    sessions,
    close() {
      updates.delete(notify);
      return Promise.all([sdk.close(), sessions?.close()]);
    },
  };
}
