import * as z from "zod";
import { problem } from "../../operations/results.ts";
import { count as amount, list } from "../../shapes.ts";
import { ANY_CODE, READ } from "../codes.ts";
import { product } from "../product.ts";
import { checkScenes } from "./check-scenes.ts";
import { checkScripts, scriptsChecked } from "./check-scripts.ts";

const paths = z.array(z.string()).optional().describe("res://player.gd; default: the whole project");

export const diagnosticsTool = product.defineActionTool({
  name: "godot_diagnostics",
  title: "Find errors",
  description: "Find all errors of scripts and scenes, with file and line. Use it after writing files.",
  category: "diagnostics",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["project", "workspace"],
  errors: ANY_CODE,
  deadlineMs: 300_000,
  goOn: "Name the files in paths.",
  actions: (action) => ({
    scripts: action({
      description: "Compile scripts and list their errors and warnings.",
      effect: "none",
      input: z.strictObject({ paths }),
      output: scriptsChecked,
      handler: ({ paths }, context) => checkScripts(context, paths),
    }),
    scenes: action({
      description: "Check scenes and resources for missing files, lost nodes and dead connections.",
      effect: "none",
      errors: READ,
      input: z.strictObject({ paths }),
      output: z.strictObject({ files: amount, problems: list(problem) }),
      handler: ({ paths }, { project }) => checkScenes(project, paths),
    }),
  }),
});
