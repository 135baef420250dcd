import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { type Clock, systemClock } from "../clock.ts";
import { beginLogin, finishLogin } from "./login.ts";
import type { OAuthError } from "./oauth-error.ts";
import type { Grant, OAuthApp, OAuthEnvironment } from "./token-endpoint.ts";

export interface BrowserLoginOptions extends OAuthEnvironment {
  readonly scopes: readonly string[];
  /** Print it, or open a browser. */
  readonly show: (url: string) => void;
  readonly signal?: AbortSignal;
  /** Default five minutes. */
  readonly patienceMs?: number;
}

/** Listens at the app's redirect URI on loopback until X redirects the user there. Port 0 picks a free one. */
export async function loginInBrowser(
  app: OAuthApp,
  options: BrowserLoginOptions,
): Promise<Outcome<Grant, OAuthError>> {
  const opened = await openCallback(app.redirectUri);
  if (!opened.ok) return opened;
  await using callback = opened.value;
  const pending = await beginLogin({ ...app, redirectUri: callback.redirectUri }, options.scopes, options);
  options.show(pending.url);
  const answer = await callback.wait(pending.state, options);
  if (!answer.ok) return failed(answer.failure);
  return finishLogin(pending, answer.value, options, options.signal);
}

export interface Callback extends AsyncDisposable {
  readonly redirectUri: string;
  /** Rejects requests without this sign-in's state. */
  wait(state: string, options: WaitOptions): Promise<Outcome<string, OAuthError>>;
}

export interface WaitOptions {
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly patienceMs?: number;
}

async function openCallback(redirectUri: string): Promise<Outcome<Callback, OAuthError>> {
  const address = URL.parse(redirectUri);
  if (address?.protocol !== "http:" || !loopback.has(address.hostname))
    return unavailable(
      "The redirect URI must be http on 127.0.0.1, [::1] or localhost, as in http://127.0.0.1:8400/callback.",
    );
  const server = createServer();
  const problem = await listen(server, address);
  if (problem !== undefined) return unavailable(problem);
  const bound = server.address();
  if (bound !== null && typeof bound === "object") address.port = String(bound.port);
  return ok({
    redirectUri: address.port === new URL(redirectUri).port ? redirectUri : address.href,
    wait: (state, options) => waitForVisit(server, address, state, options),
    [Symbol.asyncDispose]: () => close(server),
  });
}

const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]", "localhost"]);

function waitForVisit(
  server: Server,
  address: URL,
  state: string,
  { signal, clock = systemClock, patienceMs = 5 * 60_000 }: WaitOptions,
): Promise<Outcome<string, OAuthError>> {
  return new Promise((resolve) => {
    const settle = (outcome: Outcome<string, OAuthError>) => {
      cancelTimer();
      signal?.removeEventListener("abort", onAbort);
      server.off("request", onRequest);
      resolve(outcome);
    };
    const onAbort = () =>
      settle(
        failed({
          kind: "network",
          cause: "aborted",
          ambiguous: false,
          message: "The sign-in was cancelled.",
        }),
      );
    const cancelTimer = clock.after(patienceMs, () =>
      settle(
        failed({
          kind: "network",
          cause: "timeout",
          ambiguous: false,
          message: "The sign-in was not completed in time. Start again.",
        }),
      ),
    );
    const onRequest = (request: IncomingMessage, response: ServerResponse) => {
      const visited = URL.parse(request.url ?? "/", address);
      if (request.method !== "GET" || visited?.pathname !== address.pathname)
        return answer(response, 404, "Not found.");
      // Any page in the browser can send a request to this port; only X knows the state.
      if (visited.searchParams.get("state") !== state)
        return answer(response, 400, "This answer belongs to another sign-in.");
      const words = visited.searchParams.has("error")
        ? "The sign-in was not allowed."
        : "You are signed in to X.";
      answer(response, 200, `${words} You can close this page and go back to the terminal.`);
      response.once("close", () => settle(ok(visited.href)));
    };
    server.on("request", onRequest);
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
  });
}

function answer(response: ServerResponse, status: number, words: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    connection: "close",
  });
  response.end(words);
}

function listen(server: Server, { hostname, port }: URL): Promise<string | undefined> {
  return new Promise((resolve) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      resolve(
        error.code === "EADDRINUSE"
          ? `Port ${port} is in use by another program. Close it, or sign in by pasting the address.`
          : `Cannot listen on port ${port} on this machine. Choose another port in the redirect URI.`,
      ),
    );
    // `localhost` may mean either loopback address; browsers try both.
    server.listen(Number(port || 80), hostname === "[::1]" ? "::1" : "127.0.0.1", () => resolve(undefined));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function unavailable(message: string): Outcome<never, OAuthError> {
  return failed({ kind: "callback_unavailable", message });
}
