import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { failed, type Outcome, ok } from "@toolpact/contract";
import { readTextFile } from "@toolpact/file-lock";
import { parse, TomlError } from "smol-toml";
import { accountOf, DEFAULT_ACCOUNT } from "./account-name.ts";
import {
  isTable,
  layered,
  namedProblems,
  settingsOf,
  splitAccounts,
  type Toml,
  withOwnFiles,
} from "./accounts.ts";
import { type EnvironmentValues, valuesFromEnvironment } from "./environment.ts";
import { atHome, configPath, OTHER_ENDINGS, withPaths } from "./paths.ts";
import { type ConfigProblem, problemsOf } from "./problem.ts";
import { brokenRules } from "./rules.ts";
import { type Config, configSchema } from "./schema.ts";

export { configPath };

export interface ConfigPlace {
  /** From the command line. */
  readonly argument?: string | undefined;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly home: string;
  readonly cwd: string;
  /** Default `TUITBOT_ACCOUNT`, then the one outside of `accounts`. */
  readonly account?: string | undefined;
  /** Below file and environment, above the schema's defaults. */
  readonly beneath?: Toml | undefined;
  /** A named file may be missing. */
  readonly mayBeAbsent?: boolean;
  /** Beyond the configuration, such as tool names in the policy. */
  readonly check?: ((config: Config) => Promise<readonly ConfigProblem[]>) | undefined;
}

export interface LoadedConfig {
  readonly values: Config;
  /** Undefined without a file. */
  readonly file: string | undefined;
  /** Keys set by the environment. */
  readonly fromEnvironment: readonly string[];
  /** Default: the default account. */
  readonly account?: string;
  /** The default one first. */
  readonly accounts?: readonly string[];
}

export interface ConfigRefused {
  readonly file: string | undefined;
  readonly problems: readonly ConfigProblem[];
}

/** From the command line, `TUITBOT_CONFIG`, or the default. The environment overrides it. */
export async function loadConfig(place: ConfigPlace): Promise<Outcome<LoadedConfig, ConfigRefused>> {
  const { path, isNamed } = configPath(place);
  const file = await readToml(path, isNamed && place.mayBeAbsent !== true);
  if (!file.ok) return failed({ file: path, problems: [file.failure] });
  return check(file.value, file.value === undefined ? undefined : path, place);
}

/** Once for all accounts; each is checked on demand. */
export async function loadAccounts(
  place: ConfigPlace,
): Promise<Outcome<(account: string) => Promise<Outcome<LoadedConfig, ConfigRefused>>, ConfigRefused>> {
  const { path, isNamed } = configPath(place);
  const file = await readToml(path, isNamed && place.mayBeAbsent !== true);
  if (!file.ok) return failed({ file: path, problems: [file.failure] });
  const found = file.value === undefined ? undefined : path;
  return ok((account) => check(file.value, found, { ...place, account }));
}

async function readToml(path: string, isNamed: boolean): Promise<Outcome<Toml | undefined, ConfigProblem>> {
  let text: string;
  try {
    text = await readTextFile(path);
  } catch (error) {
    // Node's errors have a code.
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && !isNamed) return noFile(path);
    const why =
      code === "ENOENT"
        ? "The file does not exist."
        : `The file cannot be read (${code ?? "unknown error"}).`;
    return failed({ key: "", message: why });
  }
  try {
    return ok(parse(text));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const format = otherFormat(text);
    if (format !== undefined)
      return failed({
        key: "",
        message: `The file is ${format}, and tuitbot reads TOML. ${IN_TOML[format]}`,
      });
    // The rest quotes the line, which may contain a secret.
    const what = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "") ?? "";
    return failed({
      key: "",
      message: `Line ${error.line}, column ${error.column} is not TOML: ${what}.`,
    });
  }
}

/** Fails if another format was probably meant. */
function noFile(path: string): Outcome<undefined, ConfigProblem> {
  for (const [ending, format] of OTHER_ENDINGS) {
    const other = path.replace(/toml$/, ending);
    if (existsSync(other))
      return failed({
        key: "",
        message: `${other} is not read: tuitbot reads ${path}, in TOML. ${IN_TOML[format]}`,
      });
  }
  return ok(undefined);
}

/** For text that is not TOML. */
function otherFormat(text: string): keyof typeof IN_TOML | undefined {
  const lines = text.split("\n").filter((line) => !/^\s*(#.*)?$/.test(line));
  if (/^\s*\{/.test(lines[0] ?? "")) return "JSON";
  return /^(---|-\s|["']?[\w.-]+["']?:(\s|$))/.test(lines[0] ?? "") ? "YAML" : undefined;
}

const IN_TOML = {
  JSON: inToml('"mode": "composer"'),
  YAML: inToml("mode: composer"),
} as const;

/** Without the file's text, which may contain a secret. */
function inToml(example: string): string {
  return `Write \`mode = "composer"\` for \`${example}\`, and the line \`[x_api]\` above the keys of x_api. \`tuitbot config init\` writes a file to start from.`;
}

async function check(
  toml: Toml | undefined,
  file: string | undefined,
  place: ConfigPlace,
): Promise<Outcome<LoadedConfig, ConfigRefused>> {
  const environment = valuesFromEnvironment(place.env);
  const account = accountOf(place);
  const split = splitAccounts(withEnvironment(layered(place.beneath ?? {}, toml ?? {}), environment));
  if (!split.ok) return failed({ file, problems: [split.failure] });
  const settings = settingsOf(account, split.value);
  if (!settings.ok) return failed({ file, problems: settings.failure });
  const parsed = configSchema.safeParse(settings.value);
  const setBy = (name: string) => [...environment.values.keys()].find((key) => key.name === name)?.env;
  const problems = [
    ...environment.problems,
    ...(parsed.success
      ? [...brokenRules(parsed.data), ...((await place.check?.(parsed.data)) ?? [])]
      : problemsOf(parsed.error.issues, setBy)),
  ];
  if (!parsed.success || problems.length > 0)
    return failed({ file, problems: namedProblems(account, split.value, problems) });
  const folder = file === undefined ? place.cwd : dirname(file);
  const values = withPaths(parsed.data, folder, place.home);
  return ok({
    values:
      account === DEFAULT_ACCOUNT
        ? values
        : withOwnFiles(account, split.value, values, commonTokenFile(split.value.common, folder, place.home)),
    file,
    fromEnvironment: [...environment.values.keys()].map(({ name }) => name),
    account,
    accounts: [DEFAULT_ACCOUNT, ...split.value.accounts.keys()],
  });
}

/** Even if other settings are invalid. */
function commonTokenFile({ auth }: Toml, folder: string, home: string): string {
  const said = isTable(auth) ? auth.token_file : undefined;
  return resolve(folder, atHome(typeof said === "string" ? said : "~/.tuitbot/tokens.json", home));
}

function withEnvironment(toml: Toml, { values }: EnvironmentValues): Toml {
  const result: Record<string, unknown> = { ...toml };
  for (const [{ section, key }, value] of values) {
    if (section === "") result[key] = value;
    else if (isTable(result[section] ?? {})) result[section] = { ...(result[section] as Toml), [key]: value };
  }
  return result;
}
