import { type Check, EXIT, formatChecks } from "@toolpact/cli";
import { ok } from "@toolpact/outcome";
import type { readinessView } from "../app/readiness.ts";
import type { Charges } from "../app/spending.ts";
import { defaultProfile, type Profile } from "../profiles.ts";
import { type Context, configPlace } from "./context.ts";
import { broken, fine } from "./doctor/check.ts";
import { command, forAccount } from "./machine.ts";
import { profileOption } from "./serving-options.ts";
import { withSignIn } from "./signed-in.ts";
import { reportSpending } from "./spending.ts";

export const doctor = command({
  name: "doctor",
  describe: "Check everything tuitbot needs, and print how to fix problems",
  details: "Asks X who is signed in, and a configured language model one short question.",
  options: {
    profile: profileOption("The profile whose permissions are checked; write by default"),
  },
  examples: [
    {
      line: "tuitbot doctor",
      does: "configuration, sign-in, permissions, credits, clock, database, runner, caps, language model, …",
    },
    { line: "tuitbot doctor --output json", does: "for a program; exit code 1 if a check fails" },
  ],
  async run({ profile }, context) {
    const { checks, readiness, spent } = await runChecks(profile ?? defaultProfile, context);
    const isHealthy = checks.every(({ status }) => status !== "failed");
    const report = {
      text: forAccount(formatChecks(checks, context.terminal), context.globals.account),
      json: {
        healthy: isHealthy,
        ...readiness,
        checks: checks.map((check) => ({ ...check })),
      },
      ...(!isHealthy && { exitCode: EXIT.failed }),
    };
    return ok(spent === undefined ? report : reportSpending(report, spent));
  },
});

interface Checked {
  readonly checks: readonly Check[];
  readonly readiness: ReturnType<typeof readinessView>;
  readonly spent?: Charges | undefined;
}

async function runChecks(profile: Profile, context: Context): Promise<Checked> {
  const [{ loadConfig }, { problemLine }, { configObstacle, readinessOf, readinessView }] = await Promise.all(
    [import("../config/load.ts"), import("../config/problem.ts"), import("../app/readiness.ts")],
  );
  const loaded = await loadConfig(configPlace(context));
  if (!loaded.ok) {
    const { file, problems } = loaded.failure;
    const fix = `Fix ${file ?? "the environment"}, see docs/configuration.md.`;
    const lines = problems.map(problemLine);
    return {
      checks: lines.map((line) => broken("configuration", line, fix)),
      readiness: readinessView(readinessOf(lines.map((message) => configObstacle(message, fix)))),
    };
  }
  const [{ checkAccount, checkNetwork }, { checkDatabase, inspectDatabase }, { checkReadiness }, machine] =
    await Promise.all([
      import("./doctor/check-x.ts"),
      import("./doctor/check-database.ts"),
      import("./doctor/check-readiness.ts"),
      import("./doctor/check-machine.ts"),
    ]);
  const { values, file } = loaded.value;
  const { fetch, now } = context.machine;
  const network = await checkNetwork(values.x_api.base_url, fetch, now);
  const account = await withSignIn(values, context, (tokens) => checkAccount(values, profile, fetch, tokens));
  const facts = inspectDatabase(values.storage);
  const [database, ...runner] = await checkDatabase(values, now(), facts);
  const key = await machine.checkApprovalKey(values);
  const acting = await checkReadiness(
    { connection: account.connection, database, key, facts: await facts },
    context,
  );
  const checks = [
    fine("configuration", file ?? "No file; the defaults are in force."),
    ...network,
    ...account.checks,
    await machine.checkMediaRoots(values),
    database,
    ...runner,
    key,
    await machine.checkServerToken(values),
    machine.checkBudget(values),
    await machine.checkLanguageModel(values, context.machine),
    ...acting.checks,
  ];
  return { checks, readiness: readinessView(acting.readiness), spent: account.spent };
}
