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
  input: z.strictObject({}),
} as const;

export const getConfig = defineTool({
  ...aboutConfig,
  name: "get_config",
  title: "Show the configuration",
  describe: "Every setting in force, secrets masked.",
  profiles: allSix,
  output: z.looseObject({}),
  run: (_input, { config }) => ok({ ...config.masked() }),
});

export const validateConfig = defineTool({
  ...aboutConfig,
  name: "validate_config",
  title: "Check the configuration",
  describe: "Reads the configuration file again and lists everything that is wrong with it or missing.",
  profiles: allButReadonly,
  output: z.object({ valid: z.boolean(), errors: z.array(z.string()), warnings: z.array(z.string()) }),
  run: async (_input, { config }) => {
    const { valid, errors, warnings } = await config.check();
    return ok({ valid, errors: [...errors], warnings: [...warnings] });
  },
});
