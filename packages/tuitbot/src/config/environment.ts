import { nearest } from "@toolpact/contract/internal";
import { type ConfigKey, configKeys } from "./keys.ts";
import type { ConfigProblem } from "./problem.ts";

/** Not validated yet. */
export interface EnvironmentValues {
  readonly values: ReadonlyMap<ConfigKey, unknown>;
  readonly problems: readonly ConfigProblem[];
}

export function valuesFromEnvironment(env: Readonly<NodeJS.ProcessEnv>): EnvironmentValues {
  const names = Object.keys(env).filter((name) => name.startsWith("TUITBOT_"));
  if (names.length === 0) return { values: underAgentHost(env, new Map()), problems: [] };
  const byEnv = new Map(configKeys().map((key) => [key.env, key]));
  const values = new Map<ConfigKey, unknown>();
  const problems: ConfigProblem[] = [];
  for (const name of names) {
    const key = byEnv.get(name);
    if (key !== undefined) values.set(key, readAs(env[name] ?? "", key));
    else if (name === SANDBOX_VARIABLE) problems.push(...sandboxProblems(env[name] ?? ""));
    else if (!NO_KEYS.includes(name)) problems.push(unknownVariable(name, [...NO_KEYS, ...byEnv.keys()]));
  }
  return { values: underAgentHost(env, values), problems };
}

/** For clients whose forms fill variables but no options. */
const SANDBOX_VARIABLE = "TUITBOT_SANDBOX";

/** For a stdio server. */
export const AGENT_TOKEN_VARIABLE = "TUITBOT_AGENT_TOKEN";

/** Two select file and account, the others are options of `mcp serve`. */
const NO_KEYS: readonly string[] = [
  "TUITBOT_CONFIG",
  "TUITBOT_ACCOUNT",
  SANDBOX_VARIABLE,
  AGENT_TOKEN_VARIABLE,
];

/** In client files: works at once, and for the account after a sign-in. */
const UNTIL_SIGNED_IN = "until_signed_in";

/** A typo must not select the real account. */
function sandboxProblems(text: string): readonly ConfigProblem[] {
  const word = text.trim().toLowerCase();
  if (word === "" || word === UNTIL_SIGNED_IN || SWITCHES.has(word)) return [];
  return [{ key: SANDBOX_VARIABLE, message: `must be true, false or ${UNTIL_SIGNED_IN}.` }];
}

/** OpenClaw runs agents unattended, so approval is on by default. */
function underAgentHost(
  env: Readonly<NodeJS.ProcessEnv>,
  values: Map<ConfigKey, unknown>,
): ReadonlyMap<ConfigKey, unknown> {
  if (!Object.keys(env).some((name) => name.startsWith("OPENCLAW_"))) return values;
  const approval = configKeys().find(({ name }) => name === "approval_mode");
  if (approval !== undefined && !values.has(approval)) values.set(approval, true);
  return values;
}

/** The schema rejects what cannot be converted. */
function readAs(text: string, { kind }: ConfigKey): unknown {
  switch (kind) {
    case "text":
      return text === "" ? undefined : text;
    case "integer":
    case "number":
      return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
    case "switch":
      return SWITCHES.get(text.trim().toLowerCase()) ?? text;
    case "texts":
      return text.trimStart().startsWith("[") ? json(text) : listed(text);
    case "json":
      return json(text);
  }
}

/** Always, until a sign-in, or never. */
export function sandboxAsked(env: Readonly<NodeJS.ProcessEnv>): boolean | typeof UNTIL_SIGNED_IN {
  const text = (env[SANDBOX_VARIABLE] ?? "").trim().toLowerCase();
  return text === UNTIL_SIGNED_IN ? text : (SWITCHES.get(text) ?? false);
}

const SWITCHES: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["yes", true],
  ["false", false],
  ["0", false],
  ["no", false],
]);

function listed(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function unknownVariable(name: string, known: readonly string[]): ConfigProblem {
  const guess = nearest(name, known);
  return {
    key: name,
    message: `is not a setting.${guess === undefined ? "" : ` Did you mean ${guess}?`}`,
  };
}
