import type { Failure, Guard, Outcome } from "@toolpact/contract";

/** What an agent can do before there is a project. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  godot_workspace: ["status", "doctor_report"],
  godot_project: ["project.create"],
};

/** Answers with what to do first while there is no project to work on. */
export function projectGate(project: () => Outcome<string, Failure<"E_NOT_FOUND">>): Guard {
  return {
    name: "project",
    codes: ["E_NOT_FOUND"],
    async around({ tool, action = "" }, next) {
      const worksOnProject = tool.needs.includes("project") || tool.needs.includes("godots");
      if (!worksOnProject || BEFORE[tool.name]?.includes(action)) return next();
      const found = project();
      return found.ok ? next() : found;
    },
  };
}
