import type { Json, JsonObject, Resource } from "@toolpact/contract";
import type { Answer, Pipeline, Surface } from "@toolpact/contract/internal";
import { folderNamed, type NamedProject } from "../config/find-project.ts";
import { errors } from "../errors.ts";
import type { Core } from "./core.ts";
import { failureAnswer } from "./failure-envelope.ts";

type Served = Pick<Core, "pipeline" | "resources" | "services" | "prompts" | "watch">;

/** Combines the cores of several projects. Every call names its project and cannot access another. */
export function asOne(cores: ReadonlyMap<string, Core>): Served {
  const names = [...cores.keys()];
  const [first] = cores.values();
  if (first === undefined) throw new Error("There is a core for each project.");
  const pipeline: Pipeline = {
    async call(request) {
      const { project, projectPath, ...args } = request.args;
      const core =
        project === undefined
          ? [...cores.values()].find((each) => isFolderOf(each, projectPath))
          : typeof project === "string"
            ? cores.get(project)
            : undefined;
      const isOther = projectPath !== undefined && core !== undefined && !isFolderOf(core, projectPath);
      return core === undefined || isOther
        ? unknownProject(request.tool, project ?? projectPath, names)
        : core.pipeline.call({ ...request, args });
    },
  };
  return {
    pipeline,
    services: first.services,
    prompts: first.prompts,
    resources: [
      ...first.resources.filter(({ uri }) => !isLive(uri)),
      ...[...cores].flatMap(([name, core]) =>
        core.resources.filter(({ uri }) => isLive(uri)).map((resource) => ofProject(resource, name, core)),
      ),
    ],
    watch(onChange) {
      for (const [name, core] of cores) core.watch((uri) => onChange(named(uri, name)));
    },
  };
}

/** The lists for clients, with the project in every schema and in the addresses of project resources. */
export function surfaceOfSeveral<S extends Pick<Surface, "tools" | "resources" | "resourceTemplates">>(
  surface: S,
  projects: readonly NamedProject[],
): S {
  const names = projects.map(({ name }) => name);
  const each = (rows: readonly JsonObject[], key: "uri" | "uriTemplate") =>
    rows.flatMap((row) =>
      isLive(String(row[key]))
        ? names.map((name) => ({ ...row, [key]: named(String(row[key]), name) }))
        : [row],
    );
  return {
    ...surface,
    tools: toolsOfSeveral(surface.tools, projects),
    resources: each(surface.resources, "uri"),
    resourceTemplates: each(surface.resourceTemplates, "uriTemplate"),
  };
}

export function toolsOfSeveral(
  tools: readonly JsonObject[],
  projects: readonly NamedProject[],
): JsonObject[] {
  const project = { type: "string", enum: projects.map(({ name }) => name), description: "Which project" };
  const withProject = (schema: JsonObject): JsonObject => {
    const { properties, required, oneOf } = schema;
    return {
      ...schema,
      ...((properties !== undefined || oneOf === undefined) && {
        properties: { project, ...(properties as JsonObject | undefined) },
        required: ["project", ...((required as readonly Json[] | undefined) ?? [])],
      }),
      ...(oneOf !== undefined && { oneOf: (oneOf as readonly JsonObject[]).map(withProject) }),
    };
  };
  // Every tool of this product has an object as its input schema.
  return tools.map((tool) => ({ ...tool, inputSchema: withProject(tool.inputSchema as JsonObject) }));
}

const LIVE = /^godot:\/\/(?:scene\/|selection$|errors$|output$)/;

function isLive(uri: string): boolean {
  return LIVE.test(uri);
}

function named(uri: string, name: string): string {
  return uri.replace(/^godot:\/\//, `godot://${name}/`);
}

function ofProject(resource: Resource, name: string, core: Core): Resource {
  const prefix = `godot://${name}/`;
  const own = (uri: string) => (uri.startsWith(prefix) ? `godot://${uri.slice(prefix.length)}` : "");
  return {
    ...resource,
    uri: named(resource.uri, name),
    name: `${name}-${resource.name}`,
    needs: [],
    match: (uri) => resource.match(own(uri)),
    async read({ uri, params }, context) {
      const resolved = await core.services.resolve(resource.needs, {}, context.signal);
      return resolved.ok
        ? resource.read({ uri: own(uri), params }, { ...context, ...resolved.value })
        : resolved;
    },
  };
}

function isFolderOf(core: Core, projectPath: Json | undefined): boolean {
  const project = core.project();
  return typeof projectPath === "string" && project.ok && folderNamed(projectPath) === project.value.root;
}

/** No project log can record it. */
function unknownProject(tool: string, given: Json | undefined, names: readonly string[]): Answer {
  const outcome = errors.fail(
    "E_SCHEMA_VALIDATION",
    given === undefined
      ? "This server works on several projects: say which one with project."
      : `There is no project ${JSON.stringify(given).slice(0, 100)} here.`,
    { suggestedFix: `It is one of ${names.join(", ")}.`, details: { projects: names } },
  );
  return failureAnswer(tool, outcome);
}
