import { createHash, randomUUID } from "node:crypto";
import path from "node:path";
import {
  type AnyOutcome,
  type AuditRecord,
  audit,
  type Clock,
  EFFECTS,
  type EndedCall,
  type JsonObject,
  type Outcome,
  type Prompt,
  type Resource,
  type Success,
  skillResource,
  systemClock,
  type Tool,
} from "@toolpact/contract";
import {
  bugText,
  createPipeline,
  deadline,
  failureSummary,
  type OkNotes,
  okEnvelope,
  type Pipeline,
  provideServices,
  type Services,
} from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import { projectFolder, projectIn } from "../config/find-project.ts";
import type { Settings } from "../config/settings.ts";
import { VERSION } from "../config/version.ts";
import { errors, type Result } from "../errors.ts";
import { Project } from "../project/project.ts";
import { hasState, stateFolder, stopOf } from "../project/state-folder.ts";
import { Trust, TrustedProjects, userStateFolder } from "../project/trust.ts";
import { allTools } from "../tools/all.ts";
import { type Offered, product, toolsetFilter } from "../tools/product.ts";
import type { Toolbox } from "../workflow/toolbox.ts";
import type { DockUndo } from "../workspace/dock.ts";
import { ownTools, signatureOf } from "../workspace/own-tools.ts";
import { Workspace } from "../workspace/workspace.ts";
import { auditLog, secretsIn } from "./audit-log.ts";
import { failureEnvelope } from "./failure-envelope.ts";
import { activity, gameNews, projectGate, readOnlyGate, stateGate, stopGate, WORKFLOW } from "./guards.ts";
import { notOffered, OfferedTools, refusingTool } from "./offered-tools.ts";
import { outcomeOf } from "./outcome-of.ts";
import { prompts } from "./prompts.ts";
import { resources } from "./resources.ts";
import { skills } from "./skills.gen.ts";

export interface CoreOptions {
  readonly settings: Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The shell command that starts this program; by default its name. */
  readonly program?: readonly string[];
  readonly clock?: Clock;
  /** Called with the currently offered tools after a toolset was enabled. */
  readonly onToolsets?: (isOffered: (tool: Offered) => boolean) => void;
  /** Receives bugs, without the arguments of calls. */
  readonly onBug?: (message: string) => void;
}

/** The tools of one server and everything they started. */
export interface Core {
  readonly pipeline: Pipeline;
  readonly services: Services;
  readonly resources: readonly Resource[];
  readonly prompts: readonly Prompt[];
  readonly toolbox: Toolbox;
  /** Called once, when the first client subscribes to resources. */
  readonly watch: (onChange: (uri: string) => void) => void;
  readonly project: () => Result<Project, "E_NOT_FOUND">;
  /** Also for a folder without a project. */
  readonly workspace: () => Result<Workspace, "E_NOT_FOUND">;
  readonly close: () => Promise<void>;
}

/** The guards in front of every tool. */
export function godotStack(format: EnvelopeFormat) {
  return product
    .guardStack("godot")
    .use(deadline)
    .use(activity)
    .use(readOnlyGate)
    .use(stateGate)
    .use(stopGate)
    .use(projectGate)
    .use(gameNews)
    .answering(format);
}

type EnvelopeFormat = ReturnType<typeof okEnvelope>;

export function createCore(options: CoreOptions): Result<Core, "E_SCHEMA_VALIDATION"> {
  const { settings, env } = options;
  const clock = options.clock ?? systemClock;
  const folder = once(() => projectFolder(settings.project, options.cwd));
  const home = folder();
  const isOffered = toolsetFilter(settings.toolsets, home.ok ? home.value : undefined);
  if (!isOffered.ok) return isOffered;
  const tools = new OfferedTools({
    named: settings.toolsets,
    isOffered: isOffered.value,
    readOnly: settings.readOnly,
    onChange: options.onToolsets,
  });

  const projectNow = () => andThen(folder(), projectIn);
  const wasProject = () => {
    const root = folder();
    return root.ok && hasState(root.value);
  };
  const project = once(() => andThen(folder(), (root) => ok(new Project(root, () => clock.now()))));
  let started: Workspace | undefined;
  const workspace = once(() =>
    andThen(project(), (files) => {
      started = new Workspace({
        project: files,
        godotPath: settings.godotPath,
        env,
        clock,
        sandboxGames: settings.sandboxGames,
        serverVersion: VERSION,
        readOnly: settings.readOnly,
        onUndone: (undone) =>
          void quietly(log.write(dockRecord(undone), "Undo in the editor's dock.")).catch(() => {}),
        trust: new Trust({
          root: files.root,
          projects: new TrustedProjects(env),
          always: settings.trust,
          readOnly: settings.readOnly,
          program: options.program,
        }),
      });
      return ok(started);
    }),
  );

  // The log continues after project.godot was undone.
  const logged = once(projectNow);
  const log = auditLog({
    async folder() {
      const found = logged();
      // Without a project there is no folder for the log; every answer reports that.
      if (!found.ok) throw new NoProject();
      return settings.readOnly ? ownLogFolder(found.value, env) : stateFolder(found.value);
    },
    maxBytes: settings.auditMaxBytes,
    backups: settings.auditBackups,
    secrets: settings.token === undefined ? [] : [settings.token],
  });
  const sink = {
    write: (record: AuditRecord, { input, outcome }: EndedCall) =>
      quietly(log.write(record, summaryOf(outcome), secretsIn(input, record.input))),
  };
  const { readOnly } = settings;
  const games = () => started?.games;
  const stop = () => {
    const root = folder();
    return root.ok ? stopOf(root.value) : undefined;
  };
  const dock = () => started?.dock;
  const format = okEnvelope(errors, { legacyFields: settings.legacyFields });
  const stack = godotStack(format).bind({
    clock,
    readOnly,
    project: projectNow,
    wasProject,
    root: folder,
    games,
    stop,
    dock,
  });
  const callTool = (tool: string, args: JsonObject, signal: AbortSignal) =>
    pipeline.call({ tool, args, signal, caller: { transport: "cli", client: WORKFLOW } });
  const toolbox: Toolbox = {
    async call(tool, args, signal) {
      const answer = await callTool(tool, args, signal);
      if (answer.kind === "rendered" && answer.envelope !== undefined) return answer.envelope;
      const message = answer.kind === "unknown_tool" ? answer.message : "The tool asks a person something.";
      return failureEnvelope(tool, errors.fail("E_UNSUPPORTED", message));
    },
    async read(tool, args, signal) {
      if (toolbox.changes(tool, args))
        return errors.fail("E_PERMISSION_DENIED", `This call of ${tool} changes something.`, {
          details: { gate: "READ_ONLY" },
          suggestedFix: `Call ${tool} itself.`,
          fixBy: "agent",
        });
      const answer = await callTool(tool, args, signal);
      if (answer.kind !== "rendered") return notOffered(tool, tools);
      return outcomeOf(answer);
    },
    check(tool, args) {
      const found = tools.get(tool);
      if (found === undefined) {
        const { message, suggestedFix } = notOffered(tool, tools).failure;
        return `${message} ${suggestedFix}`;
      }
      const parsed = args === undefined ? undefined : found.parse(args);
      return parsed === undefined || parsed.ok ? undefined : parsed.failure;
    },
    changes(tool, args) {
      const parsed = tools.get(tool)?.parse(args);
      return parsed?.ok === true && EFFECTS[parsed.value.effect].mutates;
    },
    describe: () => allTools.tools.map((tool) => described(tool, tools.startOption(tool))),
    async own() {
      const files = project();
      const found = files.ok ? await ownTools(files.value) : [];
      return found.map((own) => ({
        tool: own.tool,
        signature: signatureOf(own),
        description: own.description,
      }));
    },
    skills,
    enable: (toolset) => tools.enable(toolset),
    howToOffer: (tool) => tools.howToOffer(tool),
  };
  const services = provideServices(product, {
    project: async () => project(),
    workspace: async () => workspace(),
    settings: async () => ok(settings),
    toolbox: async () => ok(toolbox),
  });
  const pipeline = createPipeline({
    // A call of an unknown name is answered and logged like any other.
    catalog: { ...allTools, get: (name) => tools.get(name) ?? refusingTool(name, tools) },
    product,
    stackFor: () => stack,
    services,
    observers: [audit(sink)],
    answerLimit: ({ tool, effect, input }) =>
      // Its inner call has this limit.
      EFFECTS[effect].mutates || asksForMore(input) || (tool.category === "meta" && input.action === "read")
        ? undefined
        : { bytes: settings.legacyFields ? 2 * READ_BYTES : READ_BYTES },
    clock,
    onBug: (bug) => options.onBug?.(bugText(bug)),
  });
  return ok({
    pipeline,
    services,
    resources: [...resources, ...skills.map(skillResource)],
    prompts,
    toolbox,
    watch(onChange) {
      const found = workspace();
      if (!found.ok) return;
      found.value.live.watch(onChange);
      // The editor reports its own changes. If it cannot connect, the call that needs it reports that.
      void found.value.bridge().catch(() => {});
    },
    project: () => andThen(projectNow(), project),
    workspace,
    async close() {
      await started?.close();
    },
  });
}

/** A read-only server writes nothing into the project, so its log is in the user's folder. */
function ownLogFolder(root: string, env: CoreOptions["env"]): string {
  const state = userStateFolder(env, process.platform);
  if (state === undefined) throw new Error("There is no home folder for it.");
  const name = `${path.basename(root)}-${createHash("sha256").update(root).digest("hex").slice(0, 12)}`;
  return path.join(state, "audit", name);
}

/** Logs an undo in the editor's dock next to the calls of agents. */
function dockRecord({ at, edit, code, elapsedMs }: DockUndo): AuditRecord {
  return {
    id: randomUUID(),
    at,
    tool: "godot_scene",
    action: "undo",
    client: "the editor's dock",
    principal: undefined,
    input: { edit },
    outcome: code === undefined ? "done" : "failed",
    code,
    elapsedMs,
  };
}

class NoProject extends Error {}

/** The maximum answer of a read-only call without explicit limits. */
const READ_BYTES = 8000;

const HOW_MUCH = ["limit", "maxChars", "all", "fields", "property", "frames"];

function asksForMore(input: JsonObject): boolean {
  // A truncated image is useless.
  return HOW_MUCH.some((name) => input[name] !== undefined) || input.format === "svg";
}

async function quietly(written: Promise<void> | void): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!(error instanceof NoProject)) throw error;
  }
}

/** Caches a success; a failure is retried. */
function once<T, F>(make: () => Outcome<T, F>): () => Outcome<T, F> {
  let made: Success<T> | undefined;
  return () => {
    if (made !== undefined) return made;
    const outcome = make();
    if (outcome.ok) made = outcome;
    return outcome;
  };
}

function andThen<T, U, F>(outcome: Outcome<T, F>, next: (value: T) => Outcome<U, F>): Outcome<U, F> {
  return outcome.ok ? next(outcome.value) : outcome;
}

function described(tool: Tool, startOption: string | undefined) {
  const { name, title, description, category, actions, errors } = tool;
  return {
    name,
    title,
    description,
    toolset: category,
    actions: actions.map((action) => action.name),
    errors,
    ...(startOption !== undefined && { startOption }),
    schema: () => tool.inputSchema("oneOf"),
    result: (action?: string) => (action === undefined ? tool : tool.withActions([action])).outputSchema(),
  };
}

function summaryOf(outcome: AnyOutcome): string {
  if (outcome.ok === null) return "The tool asks a person something.";
  // The notes of every tool of this product are OkNotes.
  if (outcome.ok) return (outcome.notes as OkNotes | undefined)?.summary ?? "Done.";
  return failureSummary(outcome.failure.message);
}
