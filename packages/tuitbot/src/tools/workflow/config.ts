import { ok } from "@toolpact/contract";
import * as z from "zod";
import { localReadiness, type Obstacle, readinessView } from "../../app/readiness.ts";
import { allButReadonly, allSix } from "../../profiles.ts";
import { defineTool } from "../product.ts";
import { readinessShape } from "./readiness-shape.ts";

const aboutConfig = {
  category: "config",
  effect: "none",
  errors: [],
  deadlineMs: Number.POSITIVE_INFINITY,
  input: z.strictObject({}),
} as const;

export const getConfig = defineTool({
  ...aboutConfig,
  name: "get_config",
  searchWords: "settings, configuration",
  openWorld: false,
  needs: ["config"],
  title: "Get the configuration",
  description: "Get every setting in force, with secrets masked.",
  profiles: allSix,
  output: z.looseObject({}),
  handler: (_input, { config }) => ok({ ...config.masked() }),
});

export const validateConfig = defineTool({
  ...aboutConfig,
  name: "validate_config",
  searchWords: "check the settings, is the configuration right",
  openWorld: false,
  needs: ["config", "server"],
  title: "Check the configuration",
  description:
    "Read the configuration file again and list everything that is wrong or missing in it, and what blocks the account now. Does not ask X.",
  profiles: allButReadonly,
  output: z.object({
    valid: z.boolean().describe("Whether the settings can be read and what they name can be used"),
    errors: z.array(z.string()),
    warnings: z.array(z.string()),
    ...readinessShape,
  }),
  handler: async (_input, { config, server, signal }) => {
    const [{ errors, warnings }, readiness] = await Promise.all([
      config.check(),
      localReadiness(server, signal),
    ]);
    const line = ({ message, fix }: Obstacle) => `${message} ${fix}`;
    const unusable = readiness.obstacles.filter(({ isOfConfiguration }) => isOfConfiguration);
    const other = readiness.obstacles.filter(({ isOfConfiguration }) => !isOfConfiguration);
    return ok({
      valid: errors.length === 0 && unusable.length === 0,
      errors: [...errors, ...unusable.map(line)],
      warnings: [...warnings, ...other.map(line)],
      ...readinessView(readiness),
    });
  },
});
