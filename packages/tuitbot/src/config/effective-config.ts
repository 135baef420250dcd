import { statSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { JsonObject, Outcome } from "@toolpact/contract";
import { maskSecrets } from "@toolpact/contract/internal";
import { accountOf, DEFAULT_ACCOUNT } from "./account-name.ts";
import type { KeyValues } from "./config-file.ts";
import { configKeys } from "./keys.ts";
import { type ConfigPlace, configPath, type LoadedConfig, loadConfig } from "./load.ts";
import { problemLine } from "./problem.ts";
import type { Config } from "./schema.ts";
import { writeConfig } from "./write-config.ts";

/** As this server runs with it. */
export interface EffectiveConfig {
  readonly values: Config;
  /** The account of the values. */
  readonly account: string;
  /** Undefined if the defaults apply. */
  readonly file: string | undefined;
  /** With secrets masked. */
  readonly masked: () => JsonObject;
  /** By `approval_mode` or `mode`. */
  readonly approvalMode: boolean;
  /** Read again when the file changes. */
  readonly people: () => Promise<Config["notify"]["people"]>;
  /** Read anew, for the next start. */
  readonly saved: () => ReturnType<typeof loadConfig>;
  /** Returns the file's path, or why nothing was written. */
  readonly write: (values: KeyValues) => Promise<Outcome<string, string>>;
  /** Read anew. */
  readonly check: () => Promise<ConfigCheck>;
}

export interface ConfigCheck {
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

export function effectiveConfig(
  { values, file, account = DEFAULT_ACCOUNT }: LoadedConfig,
  place: ConfigPlace,
): EffectiveConfig {
  return {
    values,
    account,
    file,
    masked: () => masked(values),
    approvalMode: values.approval_mode || values.mode === "composer",
    people: peopleNow(values.notify.people, place),
    saved: () => loadConfig(place),
    write: (changed) => writeConfig(place, changed),
    check: () => checkConfig(place),
  };
}

/**
 * Removal from the file ends rights without a restart. A broken file changes nothing, because an editor may
 * be saving it.
 */
function peopleNow(atStart: Config["notify"]["people"], place: ConfigPlace): EffectiveConfig["people"] {
  const stamp = () => {
    const found = statSync(configPath(place).path, { throwIfNoEntry: false });
    // A pipe can be read once only.
    return found?.isFile() ? `${found.size} ${found.ino} ${found.mtimeMs}` : undefined;
  };
  const isEmpty = (of: string) => of.startsWith("0 ");
  let seen: string | undefined;
  let people = atStart;
  return async () => {
    let current = stamp();
    if (current === undefined || current === seen) return people;
    // Many editors empty a file first.
    if (isEmpty(current)) {
      await setTimeout(SAVING_MS);
      current = stamp();
    }
    const loaded = await loadConfig(place);
    if (loaded.ok) people = loaded.value.values.notify.people;
    seen = current;
    return people;
  };
}

const SAVING_MS = 50;

/** One account's, or all. */
export async function checkAllAccounts(place: ConfigPlace): Promise<ConfigCheck> {
  const loaded = await loadConfig(place);
  if (!loaded.ok || accountOf(place) !== DEFAULT_ACCOUNT) return checkConfig(place);
  const checks = await Promise.all(
    (loaded.value.accounts ?? [DEFAULT_ACCOUNT]).map(async (account) => {
      const { errors, warnings } = await checkConfig({ ...place, account });
      const name = account === DEFAULT_ACCOUNT ? "" : `${account}: `;
      return { errors, warnings: warnings.map((line) => `${name}${line}`) };
    }),
  );
  const errors = [...new Set(checks.flatMap((check) => check.errors))];
  return { valid: errors.length === 0, errors, warnings: checks.flatMap(({ warnings }) => warnings) };
}

async function checkConfig(place: ConfigPlace): Promise<ConfigCheck> {
  const loaded = await loadConfig(place);
  return loaded.ok
    ? { valid: true, errors: [], warnings: missingSettings(loaded.value.values) }
    : { valid: false, errors: loaded.failure.problems.map(problemLine), warnings: [] };
}

/** Optional, but required by a feature. */
function missingSettings(config: Config): readonly string[] {
  return OPTIONAL.flatMap(({ line, isMissing }) => (isMissing(config) ? [line] : []));
}

interface OptionalSetting {
  readonly line: string;
  readonly isMissing: (config: Config) => boolean;
}

const OPTIONAL: readonly OptionalSetting[] = [
  {
    line: "x_api.client_id is not set: `tuitbot auth login` needs it.",
    isMissing: ({ x_api }) => x_api.client_id === "",
  },
  {
    line: "llm.provider is not set: content cannot be generated.",
    isMissing: ({ llm }) => llm.provider === "",
  },
  {
    line: "business.product_name and business.product_description are not both set: generated content has no subject.",
    isMissing: ({ business }) => business.product_name === "" || business.product_description === "",
  },
  {
    line: "business.product_keywords and business.competitor_keywords are empty: no post scores for relevance.",
    isMissing: ({ business }) =>
      business.product_keywords.length === 0 && business.competitor_keywords.length === 0,
  },
];

export const MASK = "********";

/** By the schema's secrets, and credentials in addresses. */
export function masked(config: Config): JsonObject {
  const result: Record<string, unknown> = { ...config };
  for (const { section, key } of configKeys().filter(({ isSecret }) => isSecret)) {
    const values = result[section] as Readonly<Record<string, unknown>>;
    if (values[key] !== undefined) result[section] = { ...values, [key]: MASK };
  }
  for (const { section, key, fields } of configKeys()) {
    const secret = fields.filter(({ isSecret }) => isSecret).map(({ name }) => name);
    if (secret.length === 0) continue;
    const values = result[section] as Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
    const hidden = values[key]?.map((table) => ({
      ...table,
      ...Object.fromEntries(secret.filter((name) => table[name] !== undefined).map((name) => [name, MASK])),
    }));
    result[section] = { ...values, [key]: hidden };
  }
  // From TOML and text, so all of it is JSON.
  return JSON.parse(JSON.stringify(result), (_key, value) =>
    typeof value === "string" ? maskSecrets(withoutQuery(value)) : value,
  ) as JsonObject;
}

/** Some providers take their key there, under any name. */
function withoutQuery(text: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text.replace(/\?[^#]+/, `?${MASK}`) : text;
}
