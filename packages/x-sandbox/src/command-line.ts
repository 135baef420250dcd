import { parseArgs } from "node:util";
import { earliest, latest, utcDay } from "./clock.ts";
import { defaultRedirectUris } from "./oauth/apps.ts";
import { type Plan, plans } from "./rules/plans.ts";
import { Sandbox } from "./sandbox.ts";
import { defaultApps } from "./state.ts";
import { cast } from "./world/seed/cast.ts";

/** What the command line touches outside itself. */
export interface Surroundings {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Real time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Whether the output is a terminal that wants colour. */
  readonly isColored: boolean;
  readonly version: () => Promise<string>;
  /** Resolves when the sandbox is to stop. */
  readonly untilAsked: () => Promise<void>;
}

const usage = `Run a faithful X on this machine: world, rules, plans, limits, money, faults, clock.

Usage
  x-sandbox [options]

Options
  --port <n>           Port on 127.0.0.1; 0 picks a free one (default 4010)
  --seed <n>           Which world; the same seed and start give the same one (default 1)
  --plan <name>        ${plans.join(" or ")} (default self_serve)
  --credits <usd>      Money on the account (default 100)
  --start <time>       ISO time at which the world begins (default now)
  --frozen             Keep the clock still until it is moved over /_sandbox/clock
  --redirect-uri <uri> Callback that the apps may use beside the usual ones; may be repeated
  --output <format>    text or json: how the address is printed (default text)
  -h, --help           Show this help
  --version            Show the version

Examples
  x-sandbox --port 0 --seed 7 --plan self_serve
  x-sandbox --start 2026-09-01T12:00:00Z --frozen
  x-sandbox --plan enterprise --output json

Exit codes
  0  stopped by Ctrl-C or a signal
  1  the port could not be used
  2  the options could not be understood

Colours are left out when NO_COLOR is set or the output is not a terminal.
`;

/** Runs `x-sandbox` with these arguments until asked to stop; answers with the exit code. */
export async function commandLine(args: readonly string[], around: Surroundings): Promise<0 | 1 | 2> {
  const read = readOptions(args, around.now());
  if ("complaint" in read) {
    around.error(`x-sandbox: ${read.complaint}. See x-sandbox --help.\n`);
    return 2;
  }
  if ("show" in read) {
    around.out(read.show === "help" ? usage : `x-sandbox ${await around.version()}\n`);
    return 0;
  }
  return run(read, around);
}

async function run(options: Options, around: Surroundings): Promise<0 | 1> {
  const sandbox = new Sandbox({
    seed: options.seed,
    plan: options.plan,
    creditsUsd: options.credits,
    apps: defaultApps.map((app) => ({
      ...app,
      redirectUris: [...defaultRedirectUris, ...options.redirectUris],
    })),
    ...(!options.frozen && { realTime: around.now }),
    ...(options.start !== undefined && { start: options.start }),
  });
  const url = await sandbox.listen(options.port).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === "EADDRINUSE" ? "is taken" : `cannot be used (${cause.code ?? cause.message})`;
    around.error(`x-sandbox: Port ${options.port} ${why}. Name another, or take any free one: --port 0.\n`);
  });
  if (url === undefined) return 1;
  around.out(
    options.output === "json" ? jsonGreeting(sandbox, url) : greeting(sandbox, url, around.isColored),
  );
  await around.untilAsked();
  await sandbox.close();
  return 0;
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

function greeting(sandbox: Sandbox, url: string, isColored: boolean): string {
  const bold = (text: string): string => (isColored ? `\u001b[1m${text}\u001b[22m` : text);
  const { accessToken } = sandbox.signIn();
  return `X sandbox on ${bold(url)} (plan ${sandbox.plan}, seed ${sandbox.dump().seed})

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

interface Options {
  readonly port: number;
  readonly seed: number;
  readonly plan: Plan;
  readonly credits: number;
  readonly start: number | undefined;
  readonly frozen: boolean;
  readonly redirectUris: readonly string[];
  readonly output: "text" | "json";
}

type ReadOptions = Options | { readonly show: "help" | "version" } | { readonly complaint: string };

function readOptions(args: readonly string[], now: number): ReadOptions {
  const read = parse(args);
  if ("complaint" in read) return read;
  const { values } = read;
  if (values.help === true) return { show: "help" };
  if (values.version === true) return { show: "version" };
  const port = wholeNumber(values.port ?? "4010");
  if (port === undefined || port > 65_535) return { complaint: "--port takes a number from 0 to 65535" };
  const seed = wholeNumber(values.seed ?? "1");
  if (seed === undefined) return { complaint: "--seed takes a whole number" };
  const plan = plans.find((candidate) => candidate === (values.plan ?? "self_serve"));
  if (plan === undefined) return { complaint: `--plan is ${plans.join(" or ")}` };
  const credits = Number(values.credits ?? "100");
  if (values.credits?.trim() === "" || !Number.isFinite(credits))
    return { complaint: "--credits takes an amount in US dollars" };
  const frozen = values.frozen ?? false;
  // A running clock follows real time by itself; one that stands still has to be put somewhere.
  const start = values.start === undefined ? (frozen ? now : undefined) : Date.parse(values.start);
  if (start !== undefined && !(start >= earliest && start <= latest))
    return {
      complaint: `--start takes an ISO time such as 2026-09-01T12:00:00Z, from ${utcDay(earliest)} to ${utcDay(latest)}`,
    };
  const redirectUris = values["redirect-uri"] ?? [];
  if (!redirectUris.every((uri) => URL.canParse(uri)))
    return { complaint: "--redirect-uri takes a whole URL" };
  const output = values.output ?? "text";
  if (output !== "text" && output !== "json") return { complaint: "--output is text or json" };
  return { port, seed, plan, credits, start, frozen, redirectUris, output };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: "string" },
        seed: { type: "string" },
        plan: { type: "string" },
        credits: { type: "string" },
        start: { type: "string" },
        frozen: { type: "boolean" },
        "redirect-uri": { type: "string", multiple: true },
        output: { type: "string" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean" },
      },
    });
  } catch (cause) {
    // The first sentence names the option; the rest is advice for other programs.
    return { complaint: String(cause instanceof Error ? cause.message : cause).split(/\.\s/)[0] ?? "" };
  }
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}
