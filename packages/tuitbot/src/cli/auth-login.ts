import type { CommandFailure, Report } from "@toolpact/cli";
import { failed, type Outcome } from "@toolpact/outcome";
import type { Grant, OAuthApp, OAuthError } from "@toolpact/x-api";
import type { Config } from "../config/schema.ts";
import { isThisMachine } from "../config/this-machine.ts";
import { defaultProfile, type Profile } from "../profiles.ts";
import { type Context, loadedConfig } from "./context.ts";
import { command } from "./machine.ts";
import { profileOption } from "./serving-options.ts";
import { whoIsSignedIn, withSignIn } from "./signed-in.ts";

export const authLogin = command({
  name: "login",
  describe: "Sign in to X with the permissions that the tools of a profile need",
  options: {
    profile: profileOption("The profile whose tools need the permissions; write by default"),
    manual: {
      kind: "flag",
      describe: "Paste the URL that X redirects to, instead of receiving it on this machine",
    },
  },
  examples: [
    { line: "tuitbot auth login", does: "opens X in the browser" },
    { line: "tuitbot auth login --profile readonly", does: "asks X for reading only" },
    { line: "tuitbot auth login --manual", does: "for a machine without a browser" },
  ],
  async run({ profile, manual }, context) {
    const loaded = await loadedConfig(context);
    if (!loaded.ok) return loaded;
    return signIn(loaded.value.values, { profile, manual }, context);
  },
});

/** Signs in to X with the permissions that a profile needs, and reports who is signed in then. */
export async function signIn(
  config: Config,
  { profile = defaultProfile, manual }: { readonly profile: Profile | undefined; readonly manual: boolean },
  context: Context,
): Promise<Outcome<Report, CommandFailure>> {
  const [{ callbackAddress, oauthApp }, { scopesForProfile }] = await Promise.all([
    import("../x/signed-in-account.ts"),
    import("../server/catalog.ts"),
  ]);
  const app = oauthApp(config);
  if (app === undefined) return failed(noApp(callbackAddress(config.auth)));
  const isManual = manual || config.auth.mode === "manual";
  const login = isManual ? loginManually : loginWithBrowser;
  const grant = await login(app, scopesForProfile(profile), config, context);
  if (!grant.ok) return grant;
  const kept = await withSignIn(config, context, (tokens) => tokens.signIn(grant.value));
  if (!kept.ok) return failed({ message: kept.failure.message });
  return whoIsSignedIn(config, context);
}

function noApp(callback: string): CommandFailure {
  return {
    message: "x_api.client_id is not set.",
    fix: `Make an app in X's developer console with the callback ${callback}, and set TUITBOT_X_API__CLIENT_ID or x_api.client_id to its client id.`,
  };
}

type Login = (
  app: OAuthApp,
  scopes: readonly string[],
  config: Config,
  context: Context,
) => Promise<Outcome<Grant, CommandFailure>>;

const loginWithBrowser: Login = async (app, scopes, config, { machine, terminal, signal }) => {
  const { loginInBrowser } = await import("@toolpact/x-api");
  const grant = await loginInBrowser(app, {
    ...oauthEndpoints(config, machine.fetch),
    scopes,
    signal,
    show(url) {
      terminal.err(`Allow tuitbot on X. If no page opens, go to:\n\n  ${url}\n\n`);
      void machine.openPage(url);
    },
  });
  return grant.ok ? grant : failed(loginFailure(grant.failure));
};

const loginManually: Login = async (app, scopes, config, { machine, terminal, signal }) => {
  const { beginLogin, finishLogin } = await import("@toolpact/x-api");
  const around = oauthEndpoints(config, machine.fetch);
  const pending = await beginLogin(app, scopes, around);
  terminal.err(
    `Go to this page and allow tuitbot. X then sends you to an address that may not open; copy it.\n\n  ${pending.url}\n\n`,
  );
  const pasted = await terminal.ask("The address: ", signal);
  if (pasted === undefined)
    return failed({ message: "Nobody is here to paste the address.", fix: "Run it in a terminal." });
  const grant = await finishLogin(pending, pasted, around, signal);
  return grant.ok ? grant : failed(loginFailure(grant.failure));
};

function oauthEndpoints({ x_api }: Config, fetch: typeof globalThis.fetch) {
  const { hostname, origin } = new URL(x_api.base_url);
  return {
    baseUrl: x_api.base_url,
    fetch,
    timeoutMs: x_api.timeout_ms,
    // A sandbox on this machine has its own page to sign in at; a proxy for X's API has none.
    ...(isThisMachine(hostname) && { authorizeUrl: `${origin}/i/oauth2/authorize` }),
  };
}

function loginFailure({ kind, message }: OAuthError): CommandFailure {
  switch (kind) {
    case "invalid_client":
      return { message, fix: "Check x_api.client_id and x_api.client_secret against X's developer console." };
    case "callback_unavailable":
      return { message, fix: "Or add --manual." };
    default:
      return { message };
  }
}
