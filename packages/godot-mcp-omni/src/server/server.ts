import { type JsonObject, once } from "@toolpact/contract";
import { bugText, type SchemaStyle, type Surface } from "@toolpact/contract/internal";
import { createMcpApp, type McpApp } from "@toolpact/contract/internal/app";
import { ok } from "@toolpact/outcome";
import { type NamedProject, projectFolder } from "../config/find-project.ts";
import { VERSION } from "../config/version.ts";
import { errors, type Result } from "../errors.ts";
import { type Offered, toolsetFilter } from "../tools/product.ts";
import type { Core, CoreOptions } from "./core.ts";
import { toolsOfAnyProject, withProjectPath } from "./project-of-call.ts";
import { asOne, surfaceOfSeveral, toolsOfSeveral } from "./several-projects.ts";

/** One server. The lists for clients are prebuilt; the tools are loaded on the first call. */
export interface GodotServer {
  readonly app: McpApp;
  /** The core of the project; of the first if there are several. */
  readonly core: () => Promise<Core>;
  /** One for each project. */
  readonly cores: () => Promise<readonly Core[]>;
  readonly close: () => Promise<void>;
}

const INSTRUCTIONS = `Works on one Godot 4 project through files, a headless engine, or the open editor; the best one there is, unless you set mode. Start with godot_workspace status; for a whole task find a guide with godot_meta tool_search and read it with skill.
Nodes are named by their path from the scene's root (".", "Player/Sprite", "%Unique"), files by res:// paths. Values are JSON: a vector [1, 2] or {"x": 1, "y": 2}, a colour "red" or "#ff0000", an enum or flags by name ("SIZE_EXPAND|SIZE_FILL", "layer1|layer3"), a resource "res://a.png" or {"resource": "BoxShape3D", "properties": {…}}. rotation_degrees, global_position and anchors_preset ("full_rect") can be set too.
Edits are saved at once; the answer tells old and new values and what the file on the disk says (result.difference). godot_scene undo takes them back. Use godot_batch for many edits, godot_diagnostics after writing scripts, godot_docs before guessing an API.
Run the game with godot_game: its answers warn of new script errors, with stack and locals in errors. To prove that it works: run with paused, then step with events until a condition; the answer lists what changed. verify does it in one call.
If the client asks a person before calls, make those that only read with godot_meta read.`;

const ANY_PROJECT =
  "No project was found at the start: every call names the folder of one with projectPath.\n";

export async function createServer(
  options: CoreOptions,
): Promise<Result<GodotServer, "E_SCHEMA_VALIDATION">> {
  const { settings } = options;
  const start = projectFolder(settings.project, options.cwd);
  const root = start.ok ? start.value : undefined;
  const isOffered = toolsetFilter(settings.toolsets, root);
  if (!isOffered.ok) return isOffered;
  const twice = sameFolder(settings.projects, options.cwd);
  if (twice !== undefined) return twice;
  const { prebuilt } = await import("./prebuilt.ts");
  const entries = prebuilt[entriesKey(settings.schemaStyle, settings.readOnly)]();
  const besideTools = prebuilt.besideTools();
  const listed = (offers: (tool: Offered) => boolean) => entries.filter(offers).map((entry) => entry.listed);

  const several = settings.projects;
  const isFree = several.length === 0 && settings.project === undefined && root === undefined;
  const inSchemas = (tools: readonly JsonObject[]) =>
    several.length > 0 ? toolsOfSeveral(tools, several) : isFree ? toolsOfAnyProject(tools) : tools;
  const offers = new Map<string, (tool: Offered) => boolean>();
  const lists = () => {
    const tools = listed(
      (tool) => isOffered.value(tool) || [...offers.values()].some((offer) => offer(tool)),
    );
    return inSchemas(tools);
  };
  const byCalls: Core[] = [];
  const maker = async () => {
    const { createCore } = await import("./core.ts");
    return (name: string, folder: string | undefined, trust = settings.trust): Core => {
      const created = createCore({
        ...options,
        settings: { ...settings, project: folder, projects: [], trust },
        onToolsets(offer) {
          offers.set(name, offer);
          void app.offerTools(lists());
        },
      });
      if (!created.ok) throw new Error(created.failure.message);
      return created.value;
    };
  };
  const cores = once(async (): Promise<ReadonlyMap<string, Core>> => {
    const make = await maker();
    const projects = several.length === 0 ? [{ name: "", folder: settings.project }] : several;
    return new Map(projects.map(({ name, folder }) => [name, make(name, folder)] as const));
  });
  const all = async () => [...(await cores()).values(), ...byCalls];
  const oneProject = async () => {
    const make = await maker();
    return withProjectPath({
      core: await core(),
      root,
      open(folder) {
        // The operator has not seen this project, so --trust does not apply to it.
        const opened = make(folder, folder, false);
        byCalls.push(opened);
        const workspace = opened.workspace();
        // A call that needs the editor reports that it cannot connect.
        if (workspace.ok) void workspace.value.bridge().catch(() => {});
        return opened;
      },
    });
  };
  const core = async () => {
    const [first] = await all();
    if (first === undefined) throw new Error("There is a core for each project.");
    return first;
  };
  const inProjects = <S extends Pick<Surface, "tools" | "resources" | "resourceTemplates">>(surface: S): S =>
    several.length === 0
      ? { ...surface, tools: inSchemas(surface.tools) }
      : surfaceOfSeveral(surface, several);
  const app = createMcpApp({
    surface: inProjects({
      name: "godot-mcp-omni",
      version: VERSION,
      instructions:
        several.length === 0
          ? `${isFree ? ANY_PROJECT : ""}${INSTRUCTIONS}`
          : `This server works on several projects: ${several.map(({ name }) => name).join(", ")}. Every call names one with project.\n${INSTRUCTIONS.replace("one Godot 4 project", "Godot 4 projects")}`,
      tools: listed(isOffered.value),
      scopes: {},
      // The steps of every skill change something.
      resources: besideTools.resources.filter(
        ({ uri }) => !settings.readOnly || !String(uri).startsWith("skill:"),
      ),
      resourceTemplates: besideTools.resourceTemplates,
      prompts: besideTools.prompts,
      ...(!settings.readOnly && besideTools.skills && { skills: besideTools.skills }),
    }),
    outputSchemas: !settings.noOutputSchemas,
    toolsChange: true,
    load: several.length === 0 ? oneProject : async () => asOne(await cores()),
    loadAfterList: true,
    onBug: (bug) => options.onBug?.(bugText(bug)),
  });
  const close = async () => {
    if (cores.current() !== undefined) await Promise.allSettled((await all()).map((one) => one.close()));
  };
  return ok({ app, core, cores: all, close });
}

/** Two names of one folder would have two engines and two journals there. */
function sameFolder(projects: readonly NamedProject[], cwd: string) {
  const seen = new Map<string, string>();
  for (const { name, folder } of projects) {
    const found = projectFolder(folder, cwd);
    const place = found.ok ? found.value : folder;
    const other = seen.get(place);
    if (other !== undefined)
      return errors.fail("E_SCHEMA_VALIDATION", `${other} and ${name} are the same folder: ${place}.`, {
        suggestedFix: "Name each folder once.",
        fixBy: "operator",
      });
    seen.set(place, name);
  }
  return undefined;
}

function entriesKey(style: SchemaStyle, readOnly: boolean) {
  if (style === "flat") return readOnly ? "flatReadOnly" : "flat";
  return readOnly ? "oneOfReadOnly" : "oneOf";
}
