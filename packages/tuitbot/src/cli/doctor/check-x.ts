import type { Check } from "@toolpact/cli";
import { type Grant, type ProviderError, systemClock, type TokenKeeper, type XClient } from "@toolpact/x-api";
import type { Charges } from "../../app/spending.ts";
import type { Config } from "../../config/schema.ts";
import { isWorkflowProfile, type Profile } from "../../profiles.ts";
import { scopesForProfile } from "../../server/catalog.ts";
import { askWhoAmI, connectX } from "../../x/connect-x.ts";
import { type Connection, clockTrouble, connectionFrom, troubleOf } from "../../x/connection.ts";
import { callbackAddress, signedInAccount } from "../../x/signed-in-account.ts";
import { FORBIDDEN_FIXES } from "../../x/x-errors.ts";
import { countingClient } from "../spending.ts";
import { broken, exposedFile, fine, skipped, warning } from "./check.ts";

const LOGIN = "Run `tuitbot auth login`.";

/** Checks the app, the sign-in, the account, enrollment, permissions and credits, and reports the cost of checking. */
export async function checkAccount(
  config: Config,
  profile: Profile,
  fetch: typeof globalThis.fetch,
  tokens: TokenKeeper,
): Promise<{
  readonly checks: readonly Check[];
  readonly connection: Connection;
  readonly spent?: Charges;
}> {
  const app = checkApp(config);
  const grant = await tokens.grant();
  const signIn = grant.ok
    ? ((await exposedSignIn(config.auth)) ?? checkSignIn(grant.value, config))
    : broken("sign-in", grant.failure.message, LOGIN);
  if (!grant.ok || grant.value === undefined)
    return {
      connection: { status: "not_configured", message: signIn.message, fix: LOGIN },
      checks: [
        app,
        signIn,
        ...["account", "enrolment", "permissions", "credits"].map((name) =>
          skipped(name, "Needs a sign-in."),
        ),
      ],
    };
  const x = connectX(await signedInAccount(config, fetch, tokens));
  const { client, spent } = countingClient(x.client, config.x_api.owns_app);
  const me = await askWhoAmI(client);
  const account = me.ok
    ? fine("account", `@${me.value.username}, ${me.value.name}.`)
    : accountProblem(me.failure);
  const checks = [
    app,
    signIn,
    account,
    checkEnrolment(me.ok ? undefined : me.failure),
    checkPermissions(grant.value, profile),
    me.ok ? await checkCredits(client) : creditsFrom(me.failure),
  ];
  return { checks, connection: connectionFrom(me, x.scopes()), spent: spent() };
}

function checkApp(config: Config): Check {
  return config.x_api.client_id === ""
    ? warning(
        "app",
        "x_api.client_id is not set, so a sign-in can neither be made nor renewed.",
        `Make an app in X's developer console with the callback ${callbackAddress(config.auth)} and set it.`,
      )
    : fine("app", "x_api.client_id is set.");
}

async function exposedSignIn({ keep_in, token_file }: Config["auth"]): Promise<Check | undefined> {
  return keep_in === "file" ? exposedFile("sign-in", token_file) : undefined;
}

function checkSignIn(grant: Grant | undefined, config: Config): Check {
  if (grant === undefined) return broken("sign-in", "Nobody is signed in to X.", LOGIN);
  const ends = new Date(grant.expiresAt).toISOString();
  if (grant.refreshToken !== undefined) return fine("sign-in", `In ${placeOf(config.auth)}; renews itself.`);
  return grant.expiresAt > systemClock.now()
    ? warning(
        "sign-in",
        `It ends at ${ends} and cannot renew itself.`,
        `${LOGIN} X then grants offline.access too.`,
      )
    : broken("sign-in", `It ended at ${ends} and cannot renew itself.`, LOGIN);
}

function placeOf({ keep_in, token_file }: Config["auth"]): string {
  return keep_in === "file" ? token_file : "the database, encrypted";
}

function accountProblem(error: ProviderError): Check {
  const { status, message, fix } = troubleOf(error);
  if (status === "limited") return warning("account", message, fix);
  return broken("account", message, status === "refused" ? "See the lines below." : fix);
}

function checkEnrolment(failure: ProviderError | undefined): Check {
  if (failure === undefined) return fine("enrolment", "X serves this app.");
  if (failure.kind === "forbidden" && failure.reason === "not_enrolled")
    return broken("enrolment", failure.message, FORBIDDEN_FIXES.not_enrolled.suggestedFix);
  return skipped("enrolment", "X did not get that far.");
}

function checkPermissions({ scopes }: Grant, profile: Profile): Check {
  if (scopes.length === 0) return skipped("permissions", "X did not say what was granted.");
  const missing = scopesForProfile(profile).filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return fine("permissions", `All that ${profile} needs.`);
  const login = isWorkflowProfile(profile) ? LOGIN : `Run \`tuitbot auth login --profile ${profile}\`.`;
  return warning("permissions", `${profile} also needs ${missing.join(", ")}.`, login);
}

async function checkCredits(client: XClient): Promise<Check> {
  const answer = await client.call<{ readonly total_balance?: unknown } | null>("getUsageCredits");
  if (!answer.ok) return creditsFrom(answer.failure);
  const balance = answer.value.data?.total_balance;
  if (typeof balance !== "number") return skipped("credits", "X did not say how many are left.");
  return balance > 0
    ? fine("credits", `$${balance.toFixed(2)} left.`)
    : broken("credits", "None are left.", FORBIDDEN_FIXES.credits_depleted.suggestedFix);
}

function creditsFrom(failure: ProviderError): Check {
  if (failure.kind !== "forbidden") return skipped("credits", "X did not say.");
  const { reason, message } = failure;
  return reason === "credits_depleted" || reason === "usage_capped"
    ? broken("credits", message, FORBIDDEN_FIXES[reason].suggestedFix)
    : skipped("credits", "X did not say.");
}

const TIMEOUT_MS = 10_000;

/** Checks that X can be reached, without a token, and compares its clock with ours. */
export async function checkNetwork(
  baseUrl: string,
  fetch: typeof globalThis.fetch,
  now: () => number,
): Promise<readonly Check[]> {
  const { host } = new URL(baseUrl);
  let answer: Response;
  try {
    answer = await fetch(`${baseUrl}/2/openapi.json`, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch {
    return [
      broken("network", `${host} cannot be reached.`, "Check the network, the proxy and x_api.base_url."),
      skipped("clock", "Needs the network."),
    ];
  }
  return [fine("network", `${host} answers.`), checkClock(answer.headers.get("date"), now())];
}

function checkClock(date: string | null, now: number): Check {
  const theirs = Date.parse(date ?? "");
  if (Number.isNaN(theirs)) return skipped("clock", "X did not say what time it is.");
  const trouble = clockTrouble(now - theirs);
  return trouble === undefined
    ? fine("clock", "Agrees with X's.")
    : warning("clock", trouble.message, trouble.fix);
}
