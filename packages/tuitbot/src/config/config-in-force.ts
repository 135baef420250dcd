import type { JsonObject } from "@toolpact/contract";
import { gapsIn } from "./gaps.ts";
import { type ConfigPlace, type LoadedConfig, loadConfig } from "./load.ts";
import { masked } from "./mask.ts";
import { problemLine } from "./problem.ts";
import type { Config } from "./schema.ts";

/** The configuration a server runs with. */
export interface ConfigInForce {
  readonly values: Config;
  /** The file it came from; undefined when there is none and the defaults are in force. */
  readonly file: string | undefined;
  /** As anyone may see it: secrets masked. */
  readonly masked: () => JsonObject;
  /** Whether a person approves before anything is sent, whatever made it so. */
  readonly approvalMode: boolean;
  /** Reads file and environment again and says what is wrong with them now. */
  readonly check: () => Promise<ConfigCheck>;
}

export interface ConfigCheck {
  readonly valid: boolean;
  readonly errors: readonly string[];
  /** What is not set, and what needs it. */
  readonly warnings: readonly string[];
}

export function configInForce({ values, file }: LoadedConfig, place: ConfigPlace): ConfigInForce {
  return {
    values,
    file,
    masked: () => masked(values),
    approvalMode: values.approval_mode || values.mode === "composer",
    check: () => checkConfig(place),
  };
}

export async function checkConfig(place: ConfigPlace): Promise<ConfigCheck> {
  const loaded = await loadConfig(place);
  return loaded.ok
    ? { valid: true, errors: [], warnings: gapsIn(loaded.value.values) }
    : { valid: false, errors: loaded.failure.problems.map(problemLine), warnings: [] };
}
