import path from "node:path";
import type { Caller, Json, JsonObject } from "@toolpact/contract";
import type { Pipeline } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import { folderNamed, projectFolder, projectIn } from "../config/find-project.ts";
import { errors, type Result } from "../errors.ts";
import type { Core } from "./core.ts";
import { failureAnswer } from "./failure-envelope.ts";

type Served = Pick<Core, "pipeline" | "resources" | "services" | "prompts" | "watch">;

interface ProjectOfCall {
  readonly core: Core;
  /** Real path of the configured folder, or of the project found at the start; undefined without one. */
  readonly root: string | undefined;
  /** Opens the core of a project, if this server was started without one. */
  readonly open: (root: string) => Core;
}

/** Limits the engines and journals kept open; one client works on fewer. */
const MAX_PROJECTS = 8;

/**
 * Accepts `projectPath` with every call. A server of one project accepts only that project; one started
 * without a project works on those that calls name.
 */
export function withProjectPath({ core, root, open }: ProjectOfCall): Served {
  const opened = new Map<string, Core>();
  const coreOf = (
    given: Json,
  ): Result<Core, "E_NOT_FOUND" | "E_PERMISSION_DENIED" | "E_SCHEMA_VALIDATION"> => {
    const folder = typeof given === "string" ? folderNamed(given) : undefined;
    if (folder === undefined)
      return errors.fail("E_SCHEMA_VALIDATION", "projectPath must be the absolute path of a folder.");
    const now = core.project();
    if (folder === root || (now.ok && folder === now.value.root)) return ok(core);
    if (root !== undefined)
      return errors.fail("E_PERMISSION_DENIED", `This server works on ${root} only.`, {
        details: { gate: "project_folder" },
        suggestedFix:
          "Leave projectPath out. For another project, the operator starts a server with --project.",
        fixBy: "operator",
      });
    const project = projectIn(folder);
    if (!project.ok) return project;
    const known = opened.get(folder);
    if (known !== undefined) return ok(known);
    if (opened.size >= MAX_PROJECTS)
      return errors.fail("E_PERMISSION_DENIED", `This server works on ${MAX_PROJECTS} projects already.`, {
        details: { gate: "projects", projects: [...opened.keys()] },
        suggestedFix: "Start another server for more.",
        fixBy: "operator",
      });
    const made = open(folder);
    opened.set(folder, made);
    return ok(made);
  };
  const pipeline: Pipeline = {
    async call(request) {
      const { projectPath, ...args } = request.args;
      const meant = projectPath ?? (root === undefined ? projectOf(request.caller) : undefined);
      if (meant === undefined) return core.pipeline.call(request);
      const named = coreOf(meant);
      return named.ok ? named.value.pipeline.call({ ...request, args }) : failureAnswer(request.tool, named);
    },
  };
  const { resources, services, prompts, watch } = core;
  return { pipeline, resources, services, prompts, watch };
}

/** The project in a folder that the client sends with the call, for a server without a project. */
function projectOf({ workspaces = [] }: Caller): string | undefined {
  return workspaces
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => projectFolder(undefined, folder))
    .find((found) => found.ok)?.value;
}

/** The tools of a server without a project, each with a parameter for one. */
export function toolsOfAnyProject(tools: readonly JsonObject[]): JsonObject[] {
  const projectPath = { type: "string", description: "Absolute path of the project's folder" };
  const withPath = (schema: JsonObject): JsonObject => ({
    ...schema,
    ...(schema.properties !== undefined && {
      properties: { projectPath, ...(schema.properties as JsonObject) },
    }),
    ...(schema.oneOf !== undefined && { oneOf: (schema.oneOf as readonly JsonObject[]).map(withPath) }),
  });
  // Every tool of this product has an object as its input schema.
  return tools.map((tool) => ({ ...tool, inputSchema: withPath(tool.inputSchema as JsonObject) }));
}
