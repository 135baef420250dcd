import type { OptionValues } from "@toolpact/contract/cli";
import { profiles } from "../profiles.ts";

/** Plans of the sandbox, the one that allows everything first. */
export const sandboxPlans = ["enterprise", "self_serve"] as const;

/** Which tools, and whose X: options of every command that reaches X. */
export const servingOptions = {
  profile: {
    kind: "value",
    placeholder: "PROFILE",
    describe: "Tools to give; write unless named",
    choices: profiles,
  },
  toolsets: { kind: "list", placeholder: "CATEGORIES", describe: "Only tools of these categories" },
  tools: { kind: "list", placeholder: "NAMES", describe: "Only these tools" },
  "exclude-tools": { kind: "list", placeholder: "NAMES", describe: "None of these tools" },
  sandbox: { kind: "flag", describe: "A made-up X in this process: no account, no network, no cost" },
  "sandbox-plan": {
    kind: "value",
    placeholder: "PLAN",
    describe: "What the made-up X allows; implies --sandbox",
    choices: sandboxPlans,
  },
} as const;

export type ServingOptions = OptionValues<typeof servingOptions>;
