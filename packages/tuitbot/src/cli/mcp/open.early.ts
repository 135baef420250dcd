import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { type Handshake, handshakeOf, type PreloadedStdio, preloadStdio } from "@toolpact/contract/preload";
import { parse } from "smol-toml";
import { form } from "../../config/form.prebuilt.ts";
import { fitted } from "../../config/form.ts";
import { configPath, OTHER_ENDINGS, withPaths } from "../../config/paths.ts";
import { brokenRules } from "../../config/rules.ts";
import type { Config } from "../../config/schema.ts";
import { defaultProfile, isWorkflowProfile, type Profile, profiles } from "../../profiles.ts";
import { everydayList } from "../../server/everyday.ts";
import { narrowSurface } from "../../server/narrow-surface.ts";
import * as openings from "../../server/openings.text.ts";
import { selectFrom } from "../../server/selection.ts";
import { shortSurface } from "../../server/short-surface.ts";
import { loadSurface } from "../../server/surfaces/load.ts";
import { toolNames } from "../../server/tool-names.prebuilt.ts";

/**
 * Answers the opening of a client of `tuitbot mcp serve` while nothing of tuitbot but this is loaded, which then is done.
 * Undefined where that is not surely what the command itself would answer: options or a configuration that are unusual or
 * wrong, an agent with a token, nobody signed in. The command then says what is to be said, as if this did not exist.
 */
export async function openEarly(
  words: readonly string[],
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<PreloadedStdio | undefined> {
  const opening = await usualOpening(words, { env, home: homedir(), cwd: process.cwd() });
  return opening && preloadStdio(() => opening);
}

interface Place {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly home: string;
  readonly cwd: string;
}

/** What the server that these words ask for says first, in an environment that `isUsual`. */
export async function usualOpening(words: readonly string[], place: Place): Promise<Handshake | undefined> {
  const options = usualOptions(words);
  if (options === undefined) return undefined;
  const config = usualConfig(options.config, place);
  if (config === undefined || !isSomebodyKnown(config, options.profile)) return undefined;
  return openingFor(options);
}

interface UsualOptions {
  readonly profile: Profile;
  readonly config: string | undefined;
  readonly list: string | undefined;
  readonly toolsets: readonly string[] | undefined;
  readonly outputSchemas: boolean;
}

/** The options, where each is given once, with a value behind it that looks like one. */
function usualOptions(words: readonly string[]): UsualOptions | undefined {
  const given = new Map<string, string>();
  for (let at = 0; at < words.length; at++) {
    const [, name = "", inline] = /^--([a-z-]+)(?:=(.*))?$/s.exec(words[at] ?? "") ?? [];
    const isFlag = name === "no-output-schemas" && inline === undefined;
    if (given.has(name) || !(isFlag || VALUES.includes(name))) return undefined;
    const value = isFlag ? "" : (inline ?? words[++at]);
    if (value === undefined || value.startsWith("-") || (value === "" && !isFlag)) return undefined;
    given.set(name, value);
  }
  const profile = profiles.find((known) => known === (given.get("profile") ?? defaultProfile));
  const list = given.get("list");
  if (profile === undefined || (list !== undefined && list !== "all" && list !== "everyday"))
    return undefined;
  return {
    profile,
    config: given.get("config"),
    list,
    toolsets: given.get("toolsets")?.split(","),
    outputSchemas: !given.has("no-output-schemas"),
  };
}

const VALUES = ["profile", "config", "list", "toolsets"];

/** The configuration, where it is surely right. */
function usualConfig(argument: string | undefined, { env, home, cwd }: Place): Config | undefined {
  const { path, isNamed } = configPath({ argument, env, home, cwd });
  const isThere = existsSync(path);
  if (!isThere && (isNamed || OTHER_ENDINGS.some(([ending]) => existsSync(path.replace(/toml$/, ending)))))
    return undefined;
  try {
    // The form is made of the schema that the type is inferred from.
    const values = fitted(form, isThere ? parse(readFileSync(path, "utf8")) : {})?.value as
      | Config
      | undefined;
    if (values === undefined || brokenRules(values).length > 0 || !namesKnownTools(values)) return undefined;
    return withPaths(values, isThere ? dirname(path) : cwd, home);
  } catch {
    return undefined;
  }
}

/** Whether the policy names tools and categories as they are called. */
function namesKnownTools({ mcp_policy }: Config): boolean {
  const { blocked_tools, require_approval_for, rules, rate_limits } = mcp_policy;
  const known = new Set(toolNames.tools.map(({ name }) => name));
  const categories: readonly string[] = toolNames.categoriesOfPolicies;
  const used = [
    blocked_tools,
    require_approval_for,
    ...rules.map(({ conditions }) => conditions.tools),
  ].flat();
  return (
    used.every((name) => known.has(name)) &&
    rules.flatMap(({ conditions }) => conditions.categories).every((name) => categories.includes(name)) &&
    rate_limits.every(({ match_value }) => match_value === "" || match_value === "*")
  );
}

/** Whether there is an account to act for, as `openServer` finds out. */
function isSomebodyKnown({ auth, storage }: Config, profile: Profile): boolean {
  const isLocal = isWorkflowProfile(profile) && (storage.url !== undefined || existsSync(storage.db_path));
  return isLocal || (auth.keep_in === "file" && existsSync(auth.token_file));
}

/** As it was written out where the list is a usual one; made here of the profile's surface otherwise. */
async function openingFor(options: UsualOptions): Promise<Handshake | undefined> {
  const { profile, list, toolsets, outputSchemas } = options;
  const isShort = list === "everyday";
  if (isShort && (!isWorkflowProfile(profile) || toolsets !== undefined)) return undefined;
  const written = WRITTEN[`${profile}${isShort ? " everyday" : ""}`];
  if (written !== undefined && toolsets === undefined && outputSchemas) return read(written());
  const whole = await loadSurface(profile);
  const selected = toolsets && selectFrom(whole, profile, { toolsets });
  if (selected?.ok === false) return undefined;
  const surface = selected === undefined ? whole : narrowSurface(whole, profile, selected.value);
  const shown = isShort ? shortSurface(surface, (name) => everydayList.includes(name)) : surface;
  return handshakeOf(shown, { outputSchemas, toolsChange: isShort, hasTasks: isWorkflowProfile(profile) });
}

const WRITTEN: Readonly<Record<string, () => string>> = {
  readonly: openings.readonly,
  "api-readonly": openings.apiReadonly,
  write: openings.write,
  "utility-readonly": openings.utilityReadonly,
  "utility-write": openings.utilityWrite,
  "write everyday": openings.writeEveryday,
};

function read(text: string): Handshake {
  const end = text.indexOf("\n");
  // The two parts that were written.
  return { ...(JSON.parse(text.slice(0, end)) as Omit<Handshake, "tools">), tools: text.slice(end + 1) };
}
