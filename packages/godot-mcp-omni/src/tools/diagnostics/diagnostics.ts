import * as z from "zod";
import { told } from "../answer.ts";
import { ANY_CODE } from "../codes.ts";
import * as p from "../params.ts";
import { product } from "../product.ts";
import { count } from "../words.ts";
import { checkScenes } from "./check-scenes.ts";

const paths = z.array(z.string()).optional().describe("Files; the whole project unless set");

export const diagnosticsTool = product.defineActionTool({
  name: "godot_diagnostics",
  title: "Find errors",
  describe: "All errors of all scripts at once, with file and line; and what scenes refer to in vain.",
  category: "diagnostics",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["project", "godots"],
  errors: ANY_CODE,
  deadlineMs: 300_000,
  goOn: "Name the files in paths.",
  actions: (action) => ({
    scripts: action({
      describe: "Checks scripts with the engine.",
      effect: "none",
      input: z.strictObject({ paths }),
      output: p.answer,
      run: async ({ paths }, { project, godots, signal }) => {
        const checked: string[] = [];
        for (const path of paths ?? []) {
          const found = await project.readText(path);
          if (!found.ok) return found;
          checked.push(found.value.path.res);
        }
        const engine = await godots.engine();
        if (!engine.ok) return engine;
        const answer = await engine.value.request(
          "diagnostics",
          checked.length === 0 ? {} : { paths: checked },
          { signal },
        );
        if (!answer.ok) return answer;
        const { problems, scripts } = answer.value;
        const errors = problems.filter((problem) => problem.severity === "error").length;
        return told(
          { scripts, errors, warnings: problems.length - errors, problems },
          {
            summary:
              problems.length === 0
                ? `${count(scripts, "script")}, no problems.`
                : `${count(scripts, "script")}, ${count(errors, "error")} and ${count(problems.length - errors, "warning")}.`,
            execution: { mode: "engine", godot: engine.value.version },
          },
        );
      },
    }),
    scenes: action({
      describe: "Checks scenes and resources for files that are missing and nodes that lost their place.",
      effect: "none",
      input: z.strictObject({ paths }),
      output: p.answer,
      run: ({ paths }, { project }) => checkScenes(project, paths),
    }),
  }),
});
