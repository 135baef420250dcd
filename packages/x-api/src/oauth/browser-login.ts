import { failed, type Outcome } from "@toolpact/outcome";
import { openCallback } from "./callback-server.ts";
import type { OAuthApp, OAuthEnvironment } from "./environment.ts";
import { beginLogin, finishLogin } from "./login.ts";
import type { OAuthError } from "./oauth-error.ts";
import type { Grant } from "./token-endpoint.ts";

export interface BrowserLoginOptions extends OAuthEnvironment {
  readonly scopes: readonly string[];
  /** Shows the user the address: print it, or open a browser. */
  readonly show: (url: string) => void;
  readonly signal?: AbortSignal;
  /** How long the user may take; five minutes by default. */
  readonly patienceMs?: number;
}

/**
 * Signs in with a page on this machine: listens at the app's redirect URI, which must be on loopback, until X
 * sends the user there. A port of 0 takes any free one, for servers that do not compare redirect URIs.
 */
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
