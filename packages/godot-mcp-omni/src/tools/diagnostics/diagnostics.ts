import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { problem } from "../../drivers/answers.ts";
import { errors } from "../../errors.ts";
import { count as amount, list } from "../../shapes.ts";
import { executedBy } from "../answer.ts";
import { ANY_CODE, READ } from "../codes.ts";
import { product } from "../product.ts";
import { count } from "../words.ts";
import { checkScenes } from "./check-scenes.ts";

const paths = z.array(z.string()).optional().describe("res://player.gd; default: the whole project");

export const diagnosticsTool = product.defineActionTool({
  name: "godot_diagnostics",
  title: "Find errors",
  describe: "Find all errors of scripts and scenes, with file and line. Use it after writing files.",
  category: "diagnostics",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["project", "godots"],
  errors: ANY_CODE,
  deadlineMs: 300_000,
  goOn: "Name the files in paths.",
  actions: (action) => ({
    scripts: action({
      describe: "Compile scripts and list their errors and warnings.",
      effect: "none",
      input: z.strictObject({ paths }),
      output: z.strictObject({ scripts: amount, errors: amount, warnings: amount, problems: list(problem) }),
      run: async ({ paths }, { project, godots, signal }) => {
        const checked: string[] = [];
        for (const path of paths ?? []) {
          const found = await project.readText(path);
          if (!found.ok) return found;
          checked.push(found.value.path.res);
        }
        const csharp = checked.find((path) => path.endsWith(".cs"));
        const binary = csharp === undefined ? undefined : await godots.binary();
        if (binary !== undefined && !binary.ok) return binary;
        if (csharp !== undefined)
          return errors.fail(
            "E_UNSUPPORTED",
            binary?.value.hasDotNet
              ? `${csharp} is C#, which is built and not compiled by Godot.`
              : `${csharp} is C#, and Godot ${binary?.value.version} has no .NET.`,
            {
              suggestedFix: binary?.value.hasDotNet
                ? "Run dotnet build in the project."
                : "Use a .NET build of Godot.",
              fixBy: "operator",
            },
          );
        const engine = await godots.engine();
        if (!engine.ok) return engine;
        const answer = await engine.value.request(
          "diagnostics",
          checked.length === 0 ? {} : { paths: checked },
          { signal },
        );
        if (!answer.ok) return answer;
        const { problems, scripts } = answer.value;
        const failing = problems.filter((problem) => problem.severity === "error").length;
        return ok(
          { scripts, errors: failing, warnings: problems.length - failing, problems },
          {
            summary:
              problems.length === 0
                ? `${count(scripts, "script")}, no problems.`
                : `${count(scripts, "script")}, ${count(failing, "error")} and ${count(problems.length - failing, "warning")}.`,
            execution: executedBy(engine.value),
          },
        );
      },
    }),
    scenes: action({
      describe: "Check scenes and resources for missing files, lost nodes and dead connections.",
      effect: "none",
      errors: READ,
      input: z.strictObject({ paths }),
      output: z.strictObject({ files: amount, problems: list(problem) }),
      run: ({ paths }, { project }) => checkScenes(project, paths),
    }),
  }),
});
