import type { OptionValues } from "@toolpact/cli";
import { profiles } from "../profiles.ts";

/** Plans of the sandbox, the one that allows everything first. */
export const sandboxPlans = ["enterprise", "self_serve"] as const;

export function profileOption(describe: string) {
  return { kind: "value", placeholder: "PROFILE", describe, choices: profiles } as const;
}

/** Whose X. */
export const sandboxOptions = {
  sandbox: {
    kind: "flag",
    describe: "The sandbox, a made-up X in this process: no account, no network, no cost",
  },
  "sandbox-plan": {
    kind: "value",
    placeholder: "PLAN",
    describe: "What the sandbox allows; implies --sandbox",
    choices: sandboxPlans,
  },
} as const;

/** Which tools, and whose X. */
export const servingOptions = {
  profile: profileOption("Tools to give; write unless named"),
  toolsets: { kind: "list", placeholder: "CATEGORIES", describe: "Only tools of these categories" },
  tools: { kind: "list", placeholder: "NAMES", describe: "Only these tools" },
  "exclude-tools": { kind: "list", placeholder: "NAMES", describe: "None of these tools" },
  ...sandboxOptions,
} as const;

export type ServingOptions = Partial<OptionValues<typeof servingOptions>>;
