import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { CommandFailure } from "@toolpact/cli";
import type { Json } from "@toolpact/contract";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Prompts } from "../../app/prompts.ts";
import { accountOf, DEFAULT_ACCOUNT } from "../../config/account-name.ts";
import { commentedConfig, type KeyValues, withKeys } from "../../config/config-file.ts";
import { configKeys } from "../../config/keys.ts";
import { configPath } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";
import { type Context, configPlace, loadedConfig } from "../context.ts";
import { createFile, replaceFile } from "../write-file.ts";

/** The configuration that the set-up completes. */
export interface Setup {
  readonly path: string;
  /** The file as it is; undefined if there is none yet. */
  readonly text: string | undefined;
  /** The effective configuration. */
  readonly config: Config;
}

export async function openSetup(context: Context): Promise<Outcome<Setup, CommandFailure>> {
  const place = { ...configPlace(context), mayBeAbsent: true };
  const loaded = await loadedConfig(context, place);
  if (!loaded.ok) return failed({ ...loaded.failure, fix: "Fix it, then run tuitbot init again." });
  const { path } = configPath(place);
  const account = accountOf(place);
  if (account !== DEFAULT_ACCOUNT)
    return failed({
      message: "The set-up writes the settings of the default account.",
      fix: `Put those of ${account} under [accounts.${account}] in ${path}, then: tuitbot auth login --account ${account}`,
    });
  const text = existsSync(path) ? await readFile(path, "utf8") : undefined;
  return ok({ path, text, config: loaded.value.values });
}

/** Shows which keys would change, and writes them when the person agrees. All else in the file stays. */
export async function save(
  setup: Setup,
  values: KeyValues,
  prompts: Prompts,
  context: Context,
): Promise<Outcome<Setup, CommandFailure>> {
  const { path, text, config } = setup;
  const changed = Object.entries(values).filter(
    ([name, value]) => !isDeepStrictEqual(valueIn(config, name), value),
  );
  if (changed.length === 0 && text !== undefined) return ok(setup);
  const content = withKeys(text ?? commentedConfig(), Object.fromEntries(changed));
  const lines = changed.map(([name, value]) => {
    const was = valueIn(config, name);
    const isChange = was !== undefined && was !== "" && !isDeepStrictEqual(was, []);
    return isChange
      ? `${name}: ${shown(name, was)} → ${shown(name, value)}`
      : `${name} = ${shown(name, value)}`;
  });
  if (!content.ok)
    return failed({
      message: `${path} was left alone. ${content.failure}`,
      fix: `Set this in it by hand, then run tuitbot init again:\n${lines.join("\n")}`,
    });
  prompts.note(
    text === undefined ? `A new file, ${path}, with every other key as a comment` : `Changes of ${path}`,
    lines.join("\n") || "Only comments: every key has its default.",
  );
  if (!(await prompts.confirm("Write this?", true)))
    return failed({ message: "Nothing was written.", fix: "Run tuitbot init again at any time." });
  const written = await (text === undefined ? createFile : replaceFile)(path, content.value);
  if (!written.ok) return written;
  prompts.step(`${path} is written.`);
  return openSetup(context);
}

function valueIn(config: Config, name: string): Json | undefined {
  const [section = "", key] = name.split(".");
  // Names are those of the schema; values that a file can hold are JSON.
  const found = (config as unknown as Readonly<Record<string, Json>>)[section];
  return key === undefined ? found : (found as Readonly<Record<string, Json>>)[key];
}

function shown(name: string, value: Json): string {
  const isSecret = configKeys().find((key) => key.name === name)?.isSecret === true;
  return isSecret ? "********" : JSON.stringify(value);
}
