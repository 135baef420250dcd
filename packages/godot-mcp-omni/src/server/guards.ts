import { EFFECTS, type Failure, guard, type Outcome, type Tool } from "@toolpact/contract";
import { errors } from "../errors.ts";

/** Refuses whatever changes something while the server is read-only. */
export const readOnlyGate = guard<{ dependencies: { readonly readOnly: boolean } }>({
  name: "read-only",
  codes: ({ effects }) => (effects.some((effect) => EFFECTS[effect].mutates) ? ["E_PERMISSION_DENIED"] : []),
  async run(call, next, { readOnly }) {
    if (!readOnly || !EFFECTS[call.effect].mutates) return next();
    const what = call.action === undefined ? call.tool.name : `${call.tool.name} ${call.action}`;
    return errors.fail("E_PERMISSION_DENIED", `${what} changes something, and this server is read-only.`, {
      details: { gate: "READ_ONLY" },
      suggestedFix: "The operator can start the server without --read-only.",
      fixBy: "operator",
    });
  },
});

/** Actions that are allowed before there is a project. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  godot_workspace: ["status", "doctor_report"],
  godot_project: ["project.create"],
};

/** Actions that are allowed after project.godot was undone. */
const AFTER: Readonly<Record<string, readonly string[]>> = { godot_scene: ["redo"] };

interface ProjectGate {
  readonly project: () => Outcome<string, Failure<"E_NOT_FOUND">>;
  /** Whether a server has worked in the folder before. */
  readonly wasProject: () => boolean;
}

/** Answers with what to do first while there is no project to work on. */
export const projectGate = guard<{ dependencies: ProjectGate }>({
  name: "project",
  codes: (tool) => (worksOnProject(tool) ? ["E_NOT_FOUND"] : []),
  async run({ tool, action = "" }, next, { project, wasProject }) {
    if (!worksOnProject(tool) || BEFORE[tool.name]?.includes(action)) return next();
    const found = project();
    return found.ok || (AFTER[tool.name]?.includes(action) && wasProject()) ? next() : found;
  },
});

function worksOnProject({ needs }: Tool): boolean {
  return needs.includes("project") || needs.includes("godots");
}
