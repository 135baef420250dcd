import type { OptionValues } from "@toolpact/cli";
import { profiles } from "../profiles.ts";

/** Plans of the sandbox; the first allows everything. */
export const sandboxPlans = ["enterprise", "self_serve"] as const;

/** How much of a profile its list of tools shows. */
export const toolLists = ["all", "everyday"] as const;

/** Puts output schemas into a short list, which has none by default. */
export const outputSchemasOption = {
  kind: "flag",
  describe: "List output schemas with --list everyday too",
} as const;

export function listOption(describe: string) {
  return { kind: "value", placeholder: "WHICH", describe, choices: toolLists } as const;
}

export function profileOption(describe: string) {
  return { kind: "value", placeholder: "PROFILE", describe, choices: profiles } as const;
}

/** Options that replace X with the sandbox. */
export const sandboxOptions = {
  sandbox: {
    kind: "flag",
    describe: "Use the sandbox, a simulated X in this process: no account, no network, no cost",
  },
  "sandbox-plan": {
    kind: "value",
    placeholder: "PLAN",
    describe: "The sandbox's plan; implies --sandbox",
    choices: sandboxPlans,
  },
  speed: {
    kind: "number",
    placeholder: "TIMES",
    describe: "How many times as fast as real time the sandbox's clock runs; implies --sandbox",
    min: 1,
    max: 3_600,
  },
} as const;

/** The address of the dashboard. */
export const pageOptions = {
  host: {
    kind: "value",
    placeholder: "HOST",
    describe:
      "Host of the dashboard; 127.0.0.1 by default; localhost for passkeys on this machine; any other needs server.public_url",
  },
  port: {
    kind: "number",
    placeholder: "PORT",
    describe: "Port of the dashboard; any free one by default",
    min: 0,
    max: 65_535,
  },
} as const;

/** Options that select tools and X. */
export const servingOptions = {
  profile: profileOption("The permission profile; write by default"),
  toolsets: {
    kind: "list",
    placeholder: "NAMES",
    describe: "Only tools of these categories, or everyday for the most used",
  },
  tools: { kind: "list", placeholder: "NAMES", describe: "Only these tools" },
  "exclude-tools": { kind: "list", placeholder: "NAMES", describe: "None of these tools" },
  "no-output-schemas": {
    kind: "flag",
    describe: "Leave output schemas out of the list of tools, which makes it shorter",
  },
  ...sandboxOptions,
} as const;

export interface ServingOptions extends Partial<OptionValues<typeof servingOptions>> {
  readonly list?: (typeof toolLists)[number] | undefined;
  readonly "output-schemas"?: boolean | undefined;
}
