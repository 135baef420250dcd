import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { parse as parseToml } from "smol-toml";
import * as z from "zod";
import { HOUR_MS } from "../clock.ts";
import type { RateLimit } from "../guards/refusals.ts";
import { type NotifySettings, notifySection, notifySettings } from "./notify-settings.ts";
import { sectionPlace, serverPlace } from "./server-place.ts";
import { type SimilarRule, similarEntry, similarRules } from "./similar-rules.ts";
import { limit, limitOf, rulesOf, type ToolRule, toolsTable, usd } from "./tool-rules.ts";
import type { UpstreamPlace } from "./upstream-place.ts";

/** The operator's rules for the servers of a gate. */
export interface Policy {
  /** The file. */
  readonly path: string;
  /** Names the gate in the inbox and the log, and separates its rows from those of other gates. */
  readonly name: string;
  /** A SQLite file, or the address of a PostgreSQL database. */
  readonly store: string;
  /** The file with the key that signs decisions. */
  readonly keyFile: string;
  /** The file with the tools that each server listed last, and their definitions that were accepted. */
  readonly toolsFile: string;
  /** Whether clients see all tools, or find them. */
  readonly list: "all" | "search";
  /** Whether calls that need approval are sent and only recorded. */
  readonly isWatching: boolean;
  /** Whether clients can submit several calls as a plan. */
  readonly plans: boolean;
  /** Calls that are allowed because they are like one that was approved. */
  readonly similar: readonly SimilarRule[];
  readonly askInClient: boolean;
  readonly waitMs: number;
  readonly expiresMs: number;
  /** Caps in US dollars, by UTC. */
  readonly budget: { readonly usdPerDay?: number; readonly usdPerMonth?: number };
  readonly callers: readonly PolicyCaller[];
  /** Approvers with phones and their channels; undefined if the file names none. */
  readonly notify: Outcome<NotifySettings, string> | undefined;
  /** One for each section of the file, or a single one, whose place is on the command line. */
  readonly servers: readonly ServerPolicy[];
}

/** An agent with its own token, limit and budget. */
export interface PolicyCaller {
  readonly name: string;
  /** The SHA-256 of its token, in hex; undefined if it has none. */
  readonly tokenDigest: string | undefined;
  readonly limits: readonly RateLimit[];
  readonly budget: Policy["budget"];
}

/** The rules for one server. */
export interface ServerPolicy {
  readonly name: string;
  /** Written in front of the names of its tools and prompts. */
  readonly prefix: string;
  /** Undefined if the command line names the server; a failure if the section cannot be used here. */
  readonly place: Outcome<UpstreamPlace, string> | undefined;
  readonly timeoutMs: number;
  readonly passesResources: boolean;
  readonly passesPrompts: boolean;
  readonly passesRoots: boolean;
  /** The rule of a tool by its name at the server. */
  readonly toolRule: (tool: string) => ToolRule;
  /** The names and patterns of its rules. */
  readonly entries: readonly string[];
}

const SECOND_MS = 1_000;

/** Settings that a section of a server can have for itself. */
const serverSettings = {
  default: z.enum(["person", "deny"]),
  timeout_seconds: z.number().gt(0).max(86_400),
  resources: z.boolean(),
  prompts: z.boolean(),
  roots: z.boolean(),
};

/** No underscore: the first two in a tool's name end the server's. */
const SERVER_NAME = /^[A-Za-z0-9][A-Za-z0-9-]{0,31}$/;

const section = z.strictObject({
  ...serverPlace,
  prefix: z.boolean().default(true),
  ...z.object(serverSettings).partial().shape,
  tools: toolsTable.default({}),
});

const policyFile = z.strictObject({
  name: z.string().min(1).max(100).optional(),
  store: z.string().min(1).optional(),
  list: z.enum(["all", "search"]).default("all"),
  watch: z.boolean().default(false),
  plans: z.boolean().default(false),
  similar: z.array(similarEntry).max(1_000).default([]),
  ask_in_client: z.boolean().default(false),
  wait_seconds: z.number().min(0).max(3_600).default(45),
  expires_hours: z.number().gt(0).max(8_784).default(24),
  limit: limit.optional(),
  default: serverSettings.default.default("person"),
  timeout_seconds: serverSettings.timeout_seconds.default(600),
  resources: serverSettings.resources.default(true),
  prompts: serverSettings.prompts.default(true),
  roots: serverSettings.roots.default(false),
  budget: z.strictObject({ usd_per_day: usd.optional(), usd_per_month: usd.optional() }).default({}),
  tools: toolsTable.optional(),
  callers: z
    .record(
      z.string().min(1).max(100),
      z.strictObject({
        token_env: z.string().min(1).optional(),
        token_sha256: z
          .string()
          .regex(/^[0-9a-f]{64}$/, "write the SHA-256 of the token in lower-case hex")
          .optional(),
        limit: limit.optional(),
        usd_per_day: usd.optional(),
        usd_per_month: usd.optional(),
      }),
    )
    .default({}),
  notify: notifySection.optional(),
  servers: z
    .record(z.string(), section)
    .refine((servers) => Object.keys(servers).every((name) => SERVER_NAME.test(name)), {
      message: "name each server with letters, digits and hyphens, at most 32",
    })
    .refine((servers) => Object.values(servers).filter(({ prefix }) => !prefix).length <= 1, {
      message: "only one server can have prefix = false",
    })
    .optional(),
});
type PolicyFile = z.output<typeof policyFile>;
type Section = z.output<typeof section>;

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
    const { tools, servers } = parsed.data;
    if (tools !== undefined && servers !== undefined)
      return failed(
        `${file} is no policy:\nWith [servers], write the rules of each server in [servers.NAME.tools].`,
      );
    const policy = await policyOf(path, parsed.data, env);
    return policy.ok ? policy : failed(`${file} is no policy:\n${policy.failure}`);
  } catch (error) {
    return failed(`${file} cannot be read: ${(error as Error).message}`);
  }
}

async function policyOf(
  path: string,
  file: PolicyFile,
  env: NodeJS.ProcessEnv,
): Promise<Outcome<Policy, string>> {
  const stem = basename(path, extname(path));
  const store = env.TOOLPACT_GATE_DATABASE_URL || (file.store ?? `${stem}.db`);
  const name = file.name ?? stem;
  const sibling = (end: string) => resolve(dirname(path), `${stem}${end}`);
  const given = Object.entries(file.servers ?? {}).map(([server, own]) =>
    serverPolicy(server, own.prefix ? `${server}__` : "", sectionPlace(own, env), own, file),
  );
  if (file.servers === undefined)
    given.push(serverPolicy(name, "", undefined, { tools: file.tools ?? {} }, file));
  const servers: ServerPolicy[] = [];
  for (const server of await Promise.all(given)) {
    if (!server.ok) return server;
    servers.push(server.value);
  }
  const similar = await similarRules(file.similar);
  if (!similar.ok) return similar;
  return ok({
    path,
    name,
    store: isPostgres(store) ? store : resolve(dirname(path), store),
    keyFile: sibling(".key"),
    toolsFile: sibling(".tools.json"),
    list: file.list,
    isWatching: file.watch,
    plans: file.plans,
    similar: similar.value,
    askInClient: file.ask_in_client,
    waitMs: file.wait_seconds * SECOND_MS,
    expiresMs: file.expires_hours * HOUR_MS,
    budget: budgetOf(file.budget),
    callers: Object.entries(file.callers).map(([caller, own]) => callerOf(caller, own, env)),
    notify: file.notify && notifySettings(file.notify, env),
    servers,
  });
}

function callerOf(name: string, given: PolicyFile["callers"][string], env: NodeJS.ProcessEnv): PolicyCaller {
  const token = given.token_env === undefined ? undefined : env[given.token_env];
  return {
    name,
    tokenDigest: token ? tokenDigest(token) : given.token_sha256,
    limits: limitOf(given.limit, undefined).map((one) => ({ ...one, principal: name })),
    budget: budgetOf(given),
  };
}

export function tokenDigest(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function budgetOf({
  usd_per_day,
  usd_per_month,
}: {
  readonly usd_per_day?: number | undefined;
  readonly usd_per_month?: number | undefined;
}): Policy["budget"] {
  return {
    ...(usd_per_day !== undefined && { usdPerDay: usd_per_day }),
    ...(usd_per_month !== undefined && { usdPerMonth: usd_per_month }),
  };
}

async function serverPolicy(
  name: string,
  prefix: string,
  place: ServerPolicy["place"],
  given: Partial<Section> & Pick<Section, "tools">,
  file: PolicyFile,
): Promise<Outcome<ServerPolicy, string>> {
  const rules = await rulesOf({
    tools: given.tools,
    default: given.default ?? file.default,
    limit: file.limit,
  });
  if (!rules.ok) return rules;
  return ok({
    name,
    prefix,
    place,
    timeoutMs: (given.timeout_seconds ?? file.timeout_seconds) * SECOND_MS,
    passesResources: given.resources ?? file.resources,
    passesPrompts: given.prompts ?? file.prompts,
    passesRoots: given.roots ?? file.roots,
    entries: Object.keys(given.tools),
    toolRule: (tool) => rules.value(tool, `${prefix}${tool}`),
  });
}

/** False if the server of a tool is known to be elsewhere, at an address. */
export function worksHere({ servers }: Policy, tool: string): boolean {
  const place = servers.find(({ prefix }) => tool.startsWith(prefix))?.place;
  return place === undefined || (place.ok && "command" in place.value);
}

export function isPostgres(store: string): boolean {
  return /^postgres(ql)?:\/\//.test(store);
}
