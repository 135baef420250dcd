import { type CommandFailure, EXIT, type Report } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Config } from "../config/schema.ts";
import type { Context } from "./context.ts";

/** Reports who is signed in, as X itself says, and until when. */
export async function whoIsSignedIn(
  config: Config,
  { machine }: Context,
): Promise<Outcome<Report, CommandFailure>> {
  const [
    { signedInAccount, tokenKeeper },
    { askWhoAmI, connectX },
    { connectionFrom },
    { countingClient, reportSpending },
  ] = await Promise.all([
    import("../x/signed-in-account.ts"),
    import("../x/connect-x.ts"),
    import("../x/connection.ts"),
    import("./spending.ts"),
  ]);
  const grant = await tokenKeeper(config, machine.fetch).grant();
  if (!grant.ok) return failed({ message: grant.failure.message });
  if (grant.value === undefined)
    return failed({ message: "Nobody is signed in to X.", fix: "Run `tuitbot auth login`." });
  const account = await signedInAccount(config, machine.fetch);
  const { client, spent } = countingClient(connectX(account).client, config.x_api.owns_app);
  const connection = connectionFrom(await askWhoAmI(client), account.scopes());
  const { expiresAt, refreshToken, scopes } = grant.value;
  const about = {
    token_file: config.auth.token_file,
    expires_at: new Date(expiresAt).toISOString(),
    renews_itself: refreshToken !== undefined,
    scopes: [...scopes],
  };
  if (connection.status !== "ok")
    return ok({
      text: `${connection.message} ${connection.fix}`,
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
