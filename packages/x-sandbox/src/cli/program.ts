import {
  type CommandFailure,
  commandFor,
  commonOptions,
  EXIT,
  type Program,
  paint,
  type Terminal,
  untilStopped,
} from "@toolpact/cli";
import { type Failed, failed, ok } from "@toolpact/outcome";
import packageJson from "../../package.json" with { type: "json" };
import { earliest, latest, utcDay } from "../clock.ts";
import { defaultRedirectUris } from "../oauth/apps.ts";
import { plans } from "../rules/plans.ts";
import { Sandbox } from "../sandbox.ts";
import { defaultApps } from "../state.ts";
import { cast } from "../world/seed/cast.ts";

export interface Machine {
  readonly now: () => number;
}

const serve = commandFor<Machine, typeof commonOptions>()({
  name: "x-sandbox",
  describe: "Run a simulated X on this machine: data, rules, plans, limits, prices, failures, clock.",
  options: {
    port: {
      kind: "number",
      placeholder: "PORT",
      describe: "Port on 127.0.0.1; 0 picks a free one; 4010 by default",
      min: 0,
      max: 65_535,
    },
    seed: {
      kind: "number",
      placeholder: "NUMBER",
      describe: "Which world; the same seed and start give the same one; 1 by default",
      min: 0,
      max: 9_999_999_999,
    },
    plan: {
      kind: "value",
      placeholder: "PLAN",
      describe: "X's plan; self_serve by default",
      choices: plans,
    },
    credits: {
      kind: "number",
      placeholder: "USD",
      describe: "Money on the account, in US dollars; 100 by default",
      min: -1_000_000_000,
      max: 1_000_000_000,
      allowsFraction: true,
    },
    start: {
      kind: "value",
      placeholder: "TIME",
      describe: "When the world begins, such as 2026-09-01T12:00:00Z; now by default",
    },
    frozen: { kind: "flag", describe: "Stop the clock until it is moved over /_sandbox/clock" },
    "redirect-uri": {
      kind: "list",
      keepsCommas: true,
      placeholder: "URI",
      describe: "A callback that the apps may use besides the usual ones; may be repeated",
    },
  },
  examples: [
    { line: "x-sandbox --port 0 --seed 7 --plan self_serve", does: "another world, on a free port" },
    { line: "x-sandbox --start 2026-09-01T12:00:00Z --frozen", does: "a clock that only you move" },
    { line: "x-sandbox --plan enterprise --output json", does: "for a program" },
  ],
  async run(options, { machine, terminal, signal, isJson }) {
    const { port = 4010, seed = 1, plan = "self_serve", credits = 100, frozen } = options;
    // A frozen clock needs a start time.
    const start =
      options.start === undefined ? (frozen ? machine.now() : undefined) : Date.parse(options.start);
    if (start !== undefined && !(start >= earliest && start <= latest))
      return wrongOption(
        `--start takes an ISO time such as 2026-09-01T12:00:00Z, from ${utcDay(earliest)} to ${utcDay(latest)}.`,
      );
    const redirectUris = options["redirect-uri"] ?? [];
    if (!redirectUris.every((uri) => URL.canParse(uri)))
      return wrongOption("--redirect-uri takes an absolute URL.");
    const sandbox = new Sandbox({
      seed,
      plan,
      creditsUsd: credits,
      apps: defaultApps.map((app) => ({ ...app, redirectUris: [...defaultRedirectUris, ...redirectUris] })),
      ...(!frozen && { realTime: machine.now }),
      ...(start !== undefined && { start }),
    });
    const url = await sandbox.listen(port).catch((error: NodeJS.ErrnoException) => error);
    if (typeof url !== "string")
      return failed({
        message: `Port ${port} ${url.code === "EADDRINUSE" ? "is taken" : `cannot be used (${url.code ?? url.message})`}.`,
        fix: "Name another, or take any free one: --port 0.",
      });
    terminal.out(isJson ? jsonGreeting(sandbox, url) : greeting(sandbox, url, terminal));
    await untilStopped(signal);
    await sandbox.close();
    return ok({ text: "", json: { stopped: true }, exitCode: EXIT.ok });
  },
});

export const program: Program<Machine> = {
  ...serve,
  version: `x-sandbox ${packageJson.version}`,
  globalOptions: commonOptions,
  exitCodes: [
    [EXIT.ok, "stopped by Ctrl-C or a signal"],
    [EXIT.failed, "the port cannot be used"],
    [EXIT.usage, "the command line is wrong"],
  ],
};

function wrongOption(message: string): Failed<CommandFailure> {
  return failed({ message, fix: "See x-sandbox --help.", exitCode: EXIT.usage });
}

function jsonGreeting(sandbox: Sandbox, url: string): string {
  const { accessToken, refreshToken } = sandbox.signIn();
  const { seed, digest } = sandbox.dump();
  return `${JSON.stringify({
    url,
    seed,
    digest,
    plan: sandbox.plan,
    user: { username: cast.owner, id: sandbox.person(cast.owner).id },
    access_token: accessToken,
    refresh_token: refreshToken,
    bearer_token: sandbox.app.bearerToken,
    client_id: sandbox.app.clientId,
  })}\n`;
}

function greeting(sandbox: Sandbox, url: string, terminal: Terminal): string {
  const { accessToken } = sandbox.signIn();
  return `X sandbox on ${paint(terminal, "bold", url)} (plan ${sandbox.plan}, seed ${sandbox.dump().seed})

Signed in as @${cast.owner}; the token is good for two hours of the sandbox's clock:
  URL=${url}
  TOKEN=${accessToken}

Try
  curl -H "Authorization: Bearer $TOKEN" ${url}/2/users/me
  curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"text":"Hello"}' ${url}/2/tweets

Look inside and steer
  curl ${url}/_sandbox

Ctrl-C stops it.
`;
}
