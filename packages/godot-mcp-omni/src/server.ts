import {
  audit,
  type Clock,
  catalog,
  createMcpApp,
  createPipeline,
  deadline,
  type Failure,
  type JsonObject,
  lane,
  type McpApp,
  type NoExtras,
  type Outcome,
  okEnvelope,
  type Pipeline,
  provideServices,
  surfaceOf,
  systemClock,
  type Tool,
} from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import { auditLog } from "./audit/audit-log.ts";
import { auditedPipeline } from "./audit/audited-pipeline.ts";
import { findProject } from "./config/find-project.ts";
import type { Settings } from "./config/settings.ts";
import { errors } from "./errors.ts";
import { Project } from "./files/project.ts";
import { Godots } from "./godots.ts";
import { product, type Toolbox } from "./product.ts";
import { readingPart } from "./reading-part.ts";
import { readOnlyGate } from "./safety/read-only.ts";
import { stateFolder } from "./state-folder.ts";
import { allTools } from "./tools/all.ts";
import { chosenTools } from "./toolsets.ts";
import { VERSION } from "./version.ts";

export interface ServerOptions {
  readonly settings: Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock?: Clock;
  /** Hears of defects; never of what a tool was asked. */
  readonly onBug?: (message: string) => void;
}

/** One server: its surface, its pipeline and all it started. */
export interface GodotServer {
  readonly app: McpApp;
  readonly pipeline: Pipeline;
  readonly project: () => Promise<Outcome<Project, Failure<"E_NOT_FOUND">>>;
  readonly godots: () => Promise<Outcome<Godots, Failure<"E_NOT_FOUND">>>;
  readonly close: () => Promise<void>;
}

const INSTRUCTIONS = `Works on one Godot 4 project through files, a headless engine, or the open editor; the best one there is, unless you set mode. Start with godot_workspace status.
Nodes are named by their path from the scene's root (".", "Player/Sprite", "%Unique"), files by res:// paths. Values are JSON: a vector {"x": 1, "y": 2}, a colour {"r": 1, "g": 0, "b": 0}, a resource "res://a.png" or {"resource": "BoxShape3D", "properties": {…}}.
Edits are saved at once; the answer tells old and new values and what the file on the disk says (result.difference). godot_scene undo takes them back. Use godot_batch for many edits, godot_diagnostics after writing scripts, godot_docs before guessing an API.`;

export function createServer(options: ServerOptions): Outcome<GodotServer, Failure<"E_SCHEMA_VALIDATION">> {
  const { settings, env } = options;
  const clock = options.clock ?? systemClock;
  const chosen = chosenTools(allTools, settings.toolsets);
  if (!chosen.ok) return chosen;

  const root = once(() => findProject(settings.project, options.cwd));
  const project = once(async () => {
    const found = await root();
    return found.ok ? ok(new Project(found.value, () => clock.now())) : found;
  });
  const godots = once(async () => {
    const found = await root();
    if (!found.ok) return found;
    return ok(new Godots({ project: found.value, godotPath: settings.godotPath, env, clock }));
  });

  const log = auditLog({
    async folder() {
      const found = await root();
      // Without a project there is no place for the log; that there is none is in every answer.
      if (!found.ok) throw new NoProject();
      return stateFolder(found.value);
    },
    maxBytes: settings.auditMaxBytes,
    backups: settings.auditBackups,
    secrets: settings.token === undefined ? [] : [settings.token],
  });
  const sink = { write: (record: Parameters<typeof log.write>[0]) => quietly(log.write(record)) };
  const dialect = okEnvelope(errors);
  const only = lane<NoExtras>({
    name: "godot",
    // The audit stands first, so that refusals and calls that took too long are in it too.
    guards: [audit(sink, clock), deadline(errors, clock), readOnlyGate(settings.readOnly)],
    dialect,
  });
  const toolbox: Toolbox = {
    async call(tool, args, signal) {
      const answer = await pipeline.call({
        tool,
        args,
        signal,
        caller: { transport: "cli", client: "workflow" },
      });
      if (answer.kind === "told" && answer.envelope !== undefined) return answer.envelope;
      return unanswered(
        answer.kind === "unknown_tool" ? answer.message : "The tool asks a person something.",
      );
    },
    check(tool, args) {
      const found = chosen.value.get(tool);
      if (found === undefined) return `There is no tool ${tool.slice(0, 80)} in this server.`;
      const parsed = args === undefined ? undefined : found.parse(args);
      return parsed === undefined || parsed.ok ? undefined : parsed.failure;
    },
    describe: () => chosen.value.tools.map(described),
  };
  const services = provideServices(product, {
    project,
    godots,
    settings: async () => ok(settings),
    toolbox: async () => ok(toolbox),
  });
  const pipeline = auditedPipeline(
    createPipeline({
      catalog: chosen.value,
      errors,
      laneOf: () => only,
      services,
      clock,
      onBug: ({ reference, where, error }) =>
        options.onBug?.(
          `${where} ${reference}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        ),
    }),
    { ...log, ...sink },
    clock,
  );
  const shown = settings.readOnly
    ? catalog(chosen.value.tools.flatMap((tool) => readingPart(tool) ?? []))
    : chosen.value;
  const app = createMcpApp({
    surface: surfaceOf({
      name: "godot-mcp-omni",
      version: VERSION,
      instructions: INSTRUCTIONS,
      catalog: shown,
      dialect,
      schemaStyle: settings.schemaStyle,
    }),
    load: async () => ({ pipeline, services }),
  });
  return ok({
    app,
    pipeline,
    project,
    godots,
    async close() {
      const started = await godots();
      if (started.ok) await started.value.close();
    },
  });
}

class NoProject extends Error {}

async function quietly(written: Promise<void> | void): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!(error instanceof NoProject)) throw error;
  }
}

/** A success is kept; a failure is tried again. */
function once<T, F>(make: () => Promise<Outcome<T, F>>): () => Promise<Outcome<T, F>> {
  let made: Promise<Outcome<T, F>> | undefined;
  return () => {
    made ??= make().then((outcome) => {
      if (!outcome.ok) made = undefined;
      return outcome;
    });
    return made;
  };
}

function described(tool: Tool) {
  const { name, title, description, category, actions, errors } = tool;
  return {
    name,
    title,
    description,
    toolset: category,
    actions,
    errors,
    schema: () => tool.inputSchema("oneOf"),
  };
}

function unanswered(message: string): JsonObject {
  return {
    ok: false,
    summary: message,
    result: null,
    error: { code: "E_UNSUPPORTED", message, retryable: false },
  };
}
