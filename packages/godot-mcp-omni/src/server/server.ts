import type { Failure, SchemaStyle } from "@toolpact/contract";
import { createMcpApp, type McpApp } from "@toolpact/contract/app";
import { type Outcome, ok } from "@toolpact/outcome";
import { VERSION } from "../config/version.ts";
import { type Offered, toolsetFilter } from "../tools/toolsets.ts";
import { bugText } from "./bug-text.ts";
import type { Core, CoreOptions } from "./core.ts";
import type { ToolEntry } from "./surface.ts";

/** One server. The lists that clients see are prebuilt; the tools are loaded with the first call. */
export interface GodotServer {
  readonly app: McpApp;
  readonly core: () => Promise<Core>;
  /** Ends everything that was started. */
  readonly close: () => Promise<void>;
}

const INSTRUCTIONS = `Works on one Godot 4 project through files, a headless engine, or the open editor; the best one there is, unless you set mode. Start with godot_workspace status.
Nodes are named by their path from the scene's root (".", "Player/Sprite", "%Unique"), files by res:// paths. Values are JSON: a vector [1, 2] or {"x": 1, "y": 2}, a colour "red" or "#ff0000", an enum or flags by name ("SIZE_EXPAND|SIZE_FILL", "layer1|layer3"), a resource "res://a.png" or {"resource": "BoxShape3D", "properties": {…}}. rotation_degrees, global_position and anchors_preset ("full_rect") can be set too.
Edits are saved at once; the answer tells old and new values and what the file on the disk says (result.difference). godot_scene undo takes them back. Use godot_batch for many edits, godot_diagnostics after writing scripts, godot_docs before guessing an API.
Run the game with godot_game: its answers warn of new script errors, with stack and locals in errors. Give inputs, look at the tree and screenshots, stop at breakpoints; for the same game every time run with fixedFps.`;

export async function createServer(
  options: CoreOptions,
): Promise<Outcome<GodotServer, Failure<"E_SCHEMA_VALIDATION">>> {
  const { settings } = options;
  const isOffered = toolsetFilter(settings.toolsets);
  if (!isOffered.ok) return isOffered;
  const [entries, besideTools] = await Promise.all([
    entriesFor(settings.schemaStyle, settings.readOnly),
    import("./surfaces/beside-tools.prebuilt.ts"),
  ]);
  const listed = (offers: (tool: Offered) => boolean) => entries.filter(offers).map((entry) => entry.listed);

  let made: Promise<Core> | undefined;
  const core = () => {
    made ??= import("./core.ts").then(({ createCore }) => {
      const created = createCore({ ...options, onToolsets: (offers) => app.offerTools(listed(offers)) });
      if (!created.ok) throw new Error(created.failure.message);
      return created.value;
    });
    return made;
  };
  const app = createMcpApp({
    surface: {
      name: "godot-mcp-omni",
      version: VERSION,
      instructions: INSTRUCTIONS,
      tools: listed(isOffered.value),
      scopes: {},
      // The steps of every skill change something.
      resources: besideTools.resources.filter(
        ({ uri }) => !settings.readOnly || !String(uri).startsWith("skill:"),
      ),
      resourceTemplates: besideTools.resourceTemplates,
      prompts: besideTools.prompts,
      ...(!settings.readOnly && besideTools.skills && { skills: besideTools.skills }),
    },
    outputSchemas: !settings.noOutputSchemas,
    toolsChange: true,
    load: core,
    onBug: (bug) => options.onBug?.(bugText(bug)),
  });
  return ok({ app, core, close: async () => (await made)?.close() });
}

/** Built in advance, one module each, so that a start reads only one of them. */
async function entriesFor(style: SchemaStyle, readOnly: boolean): Promise<readonly ToolEntry[]> {
  if (style === "flat")
    return readOnly
      ? (await import("./surfaces/flat-reading.prebuilt.ts")).entries
      : (await import("./surfaces/flat.prebuilt.ts")).entries;
  return readOnly
    ? (await import("./surfaces/one-of-reading.prebuilt.ts")).entries
    : (await import("./surfaces/one-of.prebuilt.ts")).entries;
}
