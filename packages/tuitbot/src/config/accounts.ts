import { dirname, join } from "node:path";
import { failed, type Outcome, ok } from "@toolpact/contract";
import { nearest } from "@toolpact/contract/internal";
import { DEFAULT_ACCOUNT } from "./account-name.ts";
import type { ConfigProblem } from "./problem.ts";
import type { Config } from "./schema.ts";

export type Toml = Readonly<Record<string, unknown>>;

export interface SplitConfig {
  readonly common: Toml;
  readonly accounts: ReadonlyMap<string, Toml>;
}

export function splitAccounts({ accounts = {}, ...common }: Toml): Outcome<SplitConfig, ConfigProblem> {
  if (!isTable(accounts))
    return failed({ key: "accounts", message: "must be a table of accounts: `[accounts.name]`." });
  const tables = new Map<string, Toml>();
  for (const [name, table] of Object.entries(accounts)) {
    const key = `accounts.${name}`;
    if (!NAME.test(name) || name === DEFAULT_ACCOUNT)
      return failed({
        key,
        message: `must have a name of at most 32 small letters, digits, - and _, other than ${DEFAULT_ACCOUNT}.`,
      });
    if (!isTable(table)) return failed({ key, message: "must be a table." });
    tables.set(name, table);
  }
  return ok({ common, accounts: tables });
}

const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

/** The common settings, overridden by the account's table. Those that describe an account are not inherited. */
export function settingsOf(
  name: string,
  { common, accounts }: SplitConfig,
): Outcome<Toml, readonly ConfigProblem[]> {
  if (name === DEFAULT_ACCOUNT) return ok(common);
  const table = accounts.get(name);
  if (table === undefined) return failed([unknownAccount(name, [...accounts.keys()])]);
  const misplaced = SHARED.filter((path) => isSet(table, path));
  if (misplaced.length > 0)
    return failed(
      misplaced.map((path) => ({
        key: `accounts.${name}.${path}`,
        message: "is for the whole installation: set it outside of accounts.",
      })),
    );
  const inherited = Object.fromEntries(
    Object.entries(common).filter(([section]) => !OWN_SECTIONS.includes(section)),
  );
  return ok(layered(inherited, table));
}

/** An account cannot override these. */
const SHARED = ["server", "storage", "logging", "approvals.key", "approvals.key_file"];

/** Not inherited by other accounts. */
const OWN_SECTIONS = ["business", "targets", "ads"];

/** In a folder next to the default account's, unless its table names paths. */
export function withOwnFiles(
  name: string,
  { accounts }: SplitConfig,
  config: Config,
  defaultTokenFile: string,
): Config {
  const table = accounts.get(name);
  if (table === undefined) return config;
  const folder = join(dirname(defaultTokenFile), "accounts", name);
  return {
    ...config,
    ...(!isSet(table, "auth.token_file") && {
      auth: { ...config.auth, token_file: join(folder, "tokens.json") },
    }),
    ...(!isSet(table, "media.roots") && { media: { ...config.media, roots: [join(folder, "media")] } }),
  };
}

/** In the keys of its table. */
export function namedProblems(
  name: string,
  { accounts }: SplitConfig,
  problems: readonly ConfigProblem[],
): readonly ConfigProblem[] {
  const table = accounts.get(name);
  return problems.map((problem) =>
    table !== undefined && isSet(table, problem.key)
      ? { ...problem, key: `accounts.${name}.${problem.key}` }
      : problem,
  );
}

function unknownAccount(name: string, names: readonly string[]): ConfigProblem {
  const guess = nearest(name, names);
  const known = [DEFAULT_ACCOUNT, ...names].slice(0, 10).join(", ");
  return {
    key: `accounts.${name}`,
    message: `is not there.${guess === undefined ? ` The accounts are: ${known}.` : ` Did you mean ${guess}?`}`,
  };
}

/** Section by section. */
export function layered(beneath: Toml, above: Toml): Toml {
  const sections = Object.entries(beneath).map(([name, value]) => {
    const said = above[name];
    return [name, isTable(value) && isTable(said ?? {}) ? { ...value, ...(said as Toml) } : (said ?? value)];
  });
  return { ...above, ...Object.fromEntries(sections) };
}

function isSet(table: Toml, path: string): boolean {
  const [section = "", key] = path.split(".");
  const value = table[section];
  return key === undefined ? value !== undefined : isTable(value) && value[key] !== undefined;
}

export function isTable(value: unknown): value is Toml {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
