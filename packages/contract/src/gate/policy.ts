import { readFile } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { parse as parseToml } from "smol-toml";
import * as z from "zod";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../clock.ts";
import type { RateLimit } from "../guards/refusals.ts";
import type { JsonObject } from "../json.ts";

/** The rule of a tool: it only reads, it may be called, it needs approval, or clients do not see it. */
export type Rule = "read_only" | "allow" | "person" | "deny";

/** The operator's rules for one server. */
export interface Policy {
  /** Names the server in the inbox and the log, and separates its rows from those of other gates. */
  readonly name: string;
  /** A SQLite file, or the address of a PostgreSQL database. */
  readonly store: string;
  /** The file with the key that signs decisions. */
  readonly keyFile: string;
  readonly askInClient: boolean;
  readonly waitMs: number;
  readonly expiresMs: number;
  readonly timeoutMs: number;
  readonly passesResources: boolean;
  readonly passesPrompts: boolean;
  readonly passesRoots: boolean;
  /** Caps in US dollars, by UTC. */
  readonly budget: { readonly usdPerDay?: number; readonly usdPerMonth?: number };
  readonly toolRule: (tool: string) => ToolRule;
}

export interface ToolRule {
  readonly rule: Rule;
  /** False if the default rule applies. */
  readonly isNamed: boolean;
  /** The price of a call in US dollars. */
  readonly price: number;
  readonly limits: readonly RateLimit[];
  /** How long an equal call without a key gets the first answer. */
  readonly sameCallMs: number;
}

const SECOND_MS = 1_000;
const PERIODS = { second: SECOND_MS, minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;

const rule = z.enum(["read_only", "allow", "person", "deny"]);
const limit = z
  .string()
  .regex(
    /^[1-9]\d{0,6}\/(second|minute|hour|day)$/,
    'write a limit as "10/hour": second, minute, hour or day',
  );
const usd = z.number().min(0).max(1_000_000);
const toolEntry = z.union([
  rule,
  z.strictObject({
    rule,
    price: usd.optional(),
    limit: limit.optional(),
    same_call_seconds: z.number().int().min(0).max(31_536_000).optional(),
  }),
]);

const policyFile = z.strictObject({
  name: z.string().min(1).max(100).optional(),
  store: z.string().min(1).optional(),
  default: z.enum(["person", "deny"]).default("person"),
  ask_in_client: z.boolean().default(false),
  wait_seconds: z.number().min(0).max(3_600).default(45),
  expires_hours: z.number().gt(0).max(8_784).default(24),
  timeout_seconds: z.number().gt(0).max(86_400).default(600),
  limit: limit.optional(),
  resources: z.boolean().default(true),
  prompts: z.boolean().default(true),
  roots: z.boolean().default(false),
  budget: z.strictObject({ usd_per_day: usd.optional(), usd_per_month: usd.optional() }).default({}),
  tools: z.record(z.string(), toolEntry).default({}),
});
type PolicyFile = z.output<typeof policyFile>;

/** Reads a policy file: JSON if its name ends in .json, otherwise TOML. */
export async function loadPolicy(
  file: string,
  env: NodeJS.ProcessEnv = {},
): Promise<Outcome<Policy, string>> {
  const path = resolve(file);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => error);
  if (text instanceof Error)
    return failed(
      text.code === "ENOENT" ? `There is no policy file ${file}.` : `${file} cannot be read: ${text.code}.`,
    );
  try {
    const parsed = policyFile.safeParse(extname(path) === ".json" ? JSON.parse(text) : parseToml(text));
    if (!parsed.success) return failed(`${file} is no policy:\n${z.prettifyError(parsed.error)}`);
    return ok(policyOf(path, parsed.data, env));
  } catch (error) {
    return failed(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function policyOf(path: string, file: PolicyFile, env: NodeJS.ProcessEnv): Policy {
  const stem = basename(path, extname(path));
  const store = env.TOOLPACT_GATE_DATABASE_URL || (file.store ?? `${stem}.db`);
  const { usd_per_day, usd_per_month } = file.budget;
  const entries = Object.entries(file.tools);
  return {
    name: file.name ?? stem,
    store: isPostgres(store) ? store : resolve(dirname(path), store),
    keyFile: resolve(dirname(path), `${stem}.key`),
    askInClient: file.ask_in_client,
    waitMs: file.wait_seconds * SECOND_MS,
    expiresMs: file.expires_hours * HOUR_MS,
    timeoutMs: file.timeout_seconds * SECOND_MS,
    passesResources: file.resources,
    passesPrompts: file.prompts,
    passesRoots: file.roots,
    budget: {
      ...(usd_per_day !== undefined && { usdPerDay: usd_per_day }),
      ...(usd_per_month !== undefined && { usdPerMonth: usd_per_month }),
    },
    toolRule(tool) {
      const entry = entryFor(entries, tool);
      const given = typeof entry === "string" ? { rule: entry } : (entry ?? { rule: file.default });
      return {
        rule: given.rule,
        isNamed: entry !== undefined,
        price: given.price ?? 0,
        limits: [...limitOf(given.limit, tool), ...limitOf(file.limit, undefined)],
        sameCallMs: (given.same_call_seconds ?? 0) * SECOND_MS,
      };
    },
  };
}

type ToolEntry = z.output<typeof toolEntry>;

const STRICTNESS: readonly Rule[] = ["read_only", "allow", "person", "deny"];

function strictness(entry: ToolEntry): number {
  return STRICTNESS.indexOf(typeof entry === "string" ? entry : entry.rule);
}

/** Returns the entry of the name itself or of the longest matching pattern; of equally long ones, the strictest. */
function entryFor(entries: readonly (readonly [string, ToolEntry])[], tool: string): ToolEntry | undefined {
  const matching = entries.filter(([pattern]) => pattern === tool || matches(pattern, tool));
  const byLength = matching.sort(
    ([a, one], [b, other]) =>
      Number(b === tool) - Number(a === tool) || b.length - a.length || strictness(other) - strictness(one),
  );
  return byLength[0]?.[1];
}

/** `*` matches any characters. */
function matches(pattern: string, tool: string): boolean {
  const parts = pattern.split("*");
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined || !tool.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = tool.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return tool.endsWith(last) && tool.length - last.length >= at;
}

function limitOf(text: string | undefined, tool: string | undefined): readonly RateLimit[] {
  const [max, period] = text?.split("/") ?? [];
  // The schema accepts these periods only.
  return max === undefined
    ? []
    : [{ tool, max: Number(max), periodMs: PERIODS[period as keyof typeof PERIODS] }];
}

export function isPostgres(store: string): boolean {
  return /^postgres(ql)?:\/\//.test(store);
}

/** Writes a first policy: every tool needs approval, with the server's description of it as a comment. */
export function firstPolicy(server: string, tools: readonly JsonObject[]): string {
  const lines = tools.map((tool) => {
    const key = JSON.stringify(String(tool.name));
    return `${key} = "person"${claims(tool)}`;
  });
  return `# Policy for ${oneLine(server)}. Run it with: toolpact gate --policy THIS_FILE -- COMMAND

# Rule for tools that are not named below: "person" or "deny".
default = "person"

# How long a call waits for approval before the client is told to retry.
wait_seconds = 45
# How long a call can be approved.
expires_hours = 24
# Also ask for approval in the client that makes the call.
ask_in_client = false

[budget]
# usd_per_day = 1.00
# usd_per_month = 10.00

# "read_only": changes nothing, so it can be called and repeated.
# "allow": can be called. A call whose answer was lost is not sent again.
# "person": each call needs approval.
# "deny": clients do not see it.
# With options: { rule = "allow", price = 0.01, limit = "10/hour", same_call_seconds = 60 }
# The comments are the server's own claims, which are not verified.
[tools]
${lines.join("\n")}
`;
}

function claims({ annotations, description }: JsonObject): string {
  // Annotations of a tool are an object.
  const { readOnlyHint, destructiveHint } = (annotations ?? {}) as JsonObject;
  const hints = [
    ...(readOnlyHint === true ? ["only reads"] : []),
    ...(destructiveHint === true && readOnlyHint !== true ? ["may destroy"] : []),
  ];
  const said = typeof description === "string" ? firstWords(oneLine(description).trim()) : "";
  const comment = [...hints, said].filter((part) => part !== "").join("; ");
  return comment === "" ? "" : ` # ${comment}`;
}

const MAX_CLAIM = 80;

/** Cuts after a whole word, and marks the cut. */
function firstWords(text: string): string {
  if (text.length <= MAX_CLAIM) return text;
  return `${text.slice(0, MAX_CLAIM).replace(/\s+\S*$/, "")} …`;
}

/** Removes characters that would end the comment. */
function oneLine(text: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
}
