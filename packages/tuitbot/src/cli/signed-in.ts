import { existsSync } from "node:fs";
import { type CommandFailure, EXIT, type Report } from "@toolpact/cli";
import { isJsonObject, parseJson } from "@toolpact/contract/internal";
import { readTextFile } from "@toolpact/file-lock";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { TokenKeeper } from "@toolpact/x-api";
import { accountOf } from "../config/account-name.ts";
import type { Config } from "../config/schema.ts";
import { type Context, configPlace } from "./context.ts";
import { forAccount } from "./machine.ts";

/** Whether anything is stored of a sign-in. X is not asked; where the database cannot be, tools say so when called. */
export async function isSignedIn(config: Config, context: Context): Promise<boolean> {
  const { auth, storage } = config;
  if (auth.keep_in === "file") return existsSync(auth.token_file);
  if (storage.url === undefined && !existsSync(storage.db_path)) return false;
  const { openSignIn } = await import("../server/sign-in.ts");
  const { tokens, close } = await openSignIn(config, accountOf(configPlace(context)), fetch);
  const grant = await tokens.grant();
  await close();
  return !grant.ok || grant.value !== undefined;
}

/** Reports an unusable token file, as far as the start can tell; undefined if there is none or it is fine. */
export async function damagedTokenFile({ auth }: Config): Promise<CommandFailure | undefined> {
  if (auth.keep_in !== "file" || !existsSync(auth.token_file)) return undefined;
  const text = await readTextFile(auth.token_file).catch(() => undefined);
  const stored = text === undefined ? undefined : parseJson(text);
  if (isJsonObject(stored) && typeof stored.access_token === "string") return undefined;
  return {
    message: `The file with the X tokens ${text === undefined ? "cannot be read" : "does not hold tokens"}.`,
    fix: "Run `tuitbot auth login` to sign in again.",
  };
}

/** Does some work with the tokens of the sign-in. */
export async function withSignIn<T>(
  config: Config,
  context: Context,
  work: (tokens: TokenKeeper) => Promise<T>,
): Promise<T> {
  const { openSignIn } = await import("../server/sign-in.ts");
  const { tokens, close } = await openSignIn(config, accountOf(configPlace(context)), context.machine.fetch);
  try {
    return await work(tokens);
  } finally {
    await close();
  }
}

/** Reports who is signed in, as X itself says, and until when. */
export function whoIsSignedIn(config: Config, context: Context): Promise<Outcome<Report, CommandFailure>> {
  return withSignIn(config, context, (tokens) => reportSignIn(config, tokens, context));
}

async function reportSignIn(
  config: Config,
  tokens: TokenKeeper,
  { machine, globals }: Context,
): Promise<Outcome<Report, CommandFailure>> {
  const [
    { signedInAccount },
    { askWhoAmI, connectX },
    { connectionFrom },
    { countingClient, reportSpending },
  ] = await Promise.all([
    import("../x/signed-in-account.ts"),
    import("../x/connect-x.ts"),
    import("../x/connection.ts"),
    import("./spending.ts"),
  ]);
  const grant = await tokens.grant();
  if (!grant.ok) return failed({ message: grant.failure.message });
  if (grant.value === undefined)
    return failed({ message: "Nobody is signed in to X.", fix: "Run `tuitbot auth login`." });
  const account = await signedInAccount(config, machine.fetch, tokens);
  const { client, spent } = countingClient(connectX(account).client, config.x_api.owns_app);
  const connection = connectionFrom(await askWhoAmI(client), account.scopes());
  const { expiresAt, refreshToken, scopes } = grant.value;
  const about = {
    ...(config.auth.keep_in === "file" ? { token_file: config.auth.token_file } : { kept_in: "database" }),
    expires_at: new Date(expiresAt).toISOString(),
    renews_itself: refreshToken !== undefined,
    scopes: [...scopes],
  };
  if (connection.status !== "ok")
    return ok({
      text: forAccount(`${connection.message} ${connection.fix}`, globals.account),
      json: {
        signed_in: false,
        status: connection.status,
        message: connection.message,
        fix: connection.fix,
        ...about,
      },
      exitCode: EXIT.failed,
    });
  const { me } = connection;
  const lines = [
    `Signed in as @${me.username} (${me.name}, ${me.id}).`,
    refreshToken === undefined
      ? `The sign-in ends at ${about.expires_at} and cannot renew itself.`
      : "The sign-in renews itself.",
    `Granted: ${scopes.join(" ") || "not known"}`,
  ];
  const report = { text: lines.join("\n"), json: { signed_in: true, user: { ...me }, ...about } };
  return ok(reportSpending(report, spent()));
}
