import { ok } from "@toolpact/contract";
import * as z from "zod";
import { allButReadonly, allSix } from "../../profiles.ts";
import { defineTool } from "../product.ts";

const aboutConfig = {
  category: "config",
  effect: "none",
  openWorld: false,
  needs: ["config"],
  errors: [],
  deadlineMs: Number.POSITIVE_INFINITY,
  input: z.strictObject({}),
} as const;

export const getConfig = defineTool({
  ...aboutConfig,
  name: "get_config",
  title: "Get the configuration",
  description: "Get every setting in force, with secrets masked.",
  profiles: allSix,
  output: z.looseObject({}),
  handler: (_input, { config }) => ok({ ...config.masked() }),
});

export const validateConfig = defineTool({
  ...aboutConfig,
  name: "validate_config",
  title: "Check the configuration",
  description: "Read the configuration file again and list everything that is wrong or missing in it.",
  profiles: allButReadonly,
  output: z.object({ valid: z.boolean(), errors: z.array(z.string()), warnings: z.array(z.string()) }),
  handler: async (_input, { config }) => {
    const { valid, errors, warnings } = await config.check();
    return ok({ valid, errors: [...errors], warnings: [...warnings] });
  },
});
