import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { projectIn } from "../../config/find-project.ts";
import { gatesOf } from "../../config/gates.ts";
import type { DriverContext } from "../../drivers/ask.ts";
import { commitEdit } from "../../drivers/commit/commit-edit.ts";
import { editorState, openScenes, sceneTree } from "../../operations/results.ts";
import type { Project } from "../../project/project.ts";
import { stopOf } from "../../project/state-folder.ts";
import { list, text } from "../../shapes.ts";
import { addonStatus, otherAddon } from "../../workspace/addon.ts";
import { doctor, doctorMarkdown, EDITED_BY_FILES } from "../../workspace/doctor.ts";
import { answerOfEditor, askEditor, type EditorWork, editorAnswer } from "../editor-request.ts";
import * as p from "../params.ts";
import { ANY_CODE, product, type ToolAnswer } from "../product.ts";

const timeoutMs = z.int().min(100).max(110_000).optional().describe("Longest wait: 60000");
const headless = z.boolean().optional().describe("Without a window");

const status = z.strictObject({
  project: text.nullable(),
  folder: text,
  connected: z.boolean(),
  modes: list(z.enum(["editor", "engine", "files"])),
  godot: z.union([
    z.strictObject({ path: text, version: text, origin: text }),
    z.strictObject({ problem: text }),
  ]),
  addon: z.strictObject({
    installed: z.boolean(),
    enabled: z.boolean(),
    current: z.boolean(),
    version: text.nullable(),
    server: text,
    running: text.nullable(),
  }),
  stopped: z
    .strictObject({ at: text.exactOptional(), by: z.enum(["dock", "command", "someone"]) })
    .nullable(),
  readOnly: z.boolean(),
  trusted: z.boolean(),
  gates: z.strictObject({
    ALLOW_DANGEROUS_OPS: z.boolean(),
    ALLOW_EXTERNAL_TOOLS: z.boolean(),
    ALLOW_GAME_CODE: z.boolean(),
  }),
});

const doctorReport = z.strictObject({
  ok: z.boolean(),
  summary: text,
  checks: list(
    z.strictObject({
      name: text,
      status: z.enum(["ok", "warning", "failed", "skipped"]),
      message: text,
      fix: text.exactOptional(),
    }),
  ),
  markdown: text,
});

const connected = z.strictObject({ connected: z.literal(true), godot: text });

const playing = z.strictObject({ playing: z.literal(true), scene: text });

export const workspaceTool = product.defineActionTool({
  name: "godot_workspace",
  title: "Project, editor and play",
  description: "See what is available; manage the editor and its scenes, and play. Start with status.",
  category: "workspace",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["project", "workspace", "settings"],
  errors: ANY_CODE,
  facts: { beforeProject: ["status", "doctor_report"] },
  deadlineMs: 120_000,
  actions: (action) => ({
    status: action({
      description: "Get the project, Godot, editor and available modes.",
      effect: "none",
      errors: [],
      input: z.strictObject({}),
      output: status,
      handler: async (_input, { project, workspace, settings }) => {
        const editor = workspace.editor();
        const binary = await workspace.binary();
        const addon = await addonStatus(project.root);
        const withheld = workspace.trust.refuseStart();
        const there = projectIn(project.root);
        const stop = stopOf(project.root);
        const warnings = [otherAddon(addon, editor, workspace.serverVersion)].filter(
          (line) => line !== undefined,
        );
        const version = editor?.version ?? (binary.ok ? binary.value.version : undefined);
        const tooOld = version === undefined ? undefined : workspace.whyTooOld(version);
        if (tooOld !== undefined) warnings.push(`${tooOld} ${EDITED_BY_FILES}`);
        return ok(
          {
            project: there.ok ? project.root : null,
            folder: project.root,
            connected: editor !== undefined,
            modes: [
              ...(editor === undefined || workspace.whyTooOld(editor.version) !== undefined
                ? []
                : (["editor"] as const)),
              ...(binary.ok &&
              withheld === undefined &&
              workspace.whyTooOld(binary.value.version) === undefined
                ? (["engine"] as const)
                : []),
              "files" as const,
            ],
            godot: binary.ok
              ? { path: binary.value.path, version: binary.value.version, origin: binary.value.origin }
              : { problem: binary.failure.message },
            addon: { ...addon, server: workspace.serverVersion, running: editor?.addon ?? null },
            stopped:
              stop === undefined ? null : { by: stop.by, ...(stop.at !== undefined && { at: stop.at }) },
            readOnly: settings.readOnly,
            trusted: workspace.trust.isTrusted,
            gates: gatesOf(settings),
          },
          {
            summary: `${there.ok ? "" : `${there.failure.message} ${settings.readOnly ? "" : "Make one with godot_project project.create. "}`}${editor === undefined ? "No editor is connected" : `The editor (Godot ${editor.version}) is connected`}; ${binary.ok ? `Godot ${binary.value.version} is at hand` : "no Godot was found"}.${there.ok && withheld !== undefined ? ` ${withheld.failure.message} ${withheld.failure.suggestedFix}` : ""}${stop === undefined ? "" : " A person has stopped all changes."}`,
            ...(warnings.length > 0 && { warnings }),
          },
        );
      },
    }),
    doctor_report: action({
      description: "Check Godot, project, addon, imports, display and ports.",
      effect: "none",
      errors: [],
      input: z.strictObject({}),
      output: doctorReport,
      handler: async (_input, { project, workspace }) => {
        const report = await doctor({ project: projectIn(project.root), workspace, env: workspace.env });
        return ok({ ...report, markdown: doctorMarkdown(report) }, { summary: report.summary });
      },
    }),
    launch: action({
      description: "Start the editor and wait for it.",
      effect: "mark",
      errors: ["E_NOT_CONNECTED", "E_NOT_FOUND", "E_PERMISSION_DENIED", "E_UNSUPPORTED"],
      input: z.strictObject({ headless, timeoutMs }),
      output: connected,
      handler: async ({ headless = false, timeoutMs = 60_000 }, { workspace, signal }) => {
        const there = workspace.editor();
        if (there !== undefined) return connectedTo(there.version, "An editor is connected already.");
        const started = await workspace.launch(headless);
        if (!started.ok) return started;
        const editor = await workspace.waitForEditor(timeoutMs, signal);
        if (editor.ok) return connectedTo(editor.value.version, "The editor is open and connected.");
        const output = started.value.output.slice(-15);
        return {
          ok: false,
          failure: {
            ...editor.failure,
            message: "The editor was started and has not connected.",
            suggestedFix: "Install and enable the addon: `godot-mcp-omni addon install`.",
            details: { ...editor.failure.details, output },
          },
        };
      },
    }),
    connect: action({
      description: "Wait for an editor that a user opens.",
      effect: "none",
      errors: ["E_NOT_CONNECTED", "E_PERMISSION_DENIED"],
      input: z.strictObject({ timeoutMs }),
      output: connected,
      handler: async ({ timeoutMs = 30_000 }, { workspace, signal }) => {
        const editor = await workspace.waitForEditor(timeoutMs, signal);
        return editor.ok ? connectedTo(editor.value.version, "The editor is connected.") : editor;
      },
    }),
    get_state: action({
      description: "Get open scenes, selection, scripts and played scene.",
      effect: "none",
      input: z.strictObject({}),
      output: editorState,
      handler: (_input, work) =>
        answerOfEditor(work, "editor.state", {}, ({ scenes }) => `${scenes.length} scenes are open.`),
    }),
    open_scene: action({
      description: "Open a scene in the editor.",
      effect: "mark",
      input: z.strictObject({ scene: p.sceneFile }),
      output: sceneTree,
      handler: ({ scene }, work) => showScene(work, scene, "editor.open_scene", "is open"),
    }),
    close_scene: action({
      description: "Close a scene in the editor.",
      effect: "update",
      input: z.strictObject({
        scene: p.sceneFile,
        discard: z.boolean().optional().describe("Drop unsaved changes"),
      }),
      output: openScenes,
      handler: async ({ scene: given, discard }, work) => {
        const found = await work.project.resolve(given);
        if (!found.ok) return found;
        const scene = found.value.res;
        const params = p.defined({ scene, discard });
        return answerOfEditor(work, "editor.close_scene", params, () => `${scene} is closed.`);
      },
    }),
    reload_scene: action({
      description: "Reload a scene from disk, losing changes.",
      effect: "update",
      input: z.strictObject({ scene: p.sceneFile }),
      output: sceneTree,
      handler: ({ scene }, work) => showScene(work, scene, "editor.reload_scene", "was read again"),
    }),
    save_all: action({
      description: "Save every open scene in the editor.",
      effect: "mark",
      input: z.strictObject({}),
      output: z.strictObject({ saved: list(text) }),
      handler: (_input, work) => saveAll(work),
    }),
    run: action({
      description: "Play a scene in the editor; to debug: godot_game run.",
      effect: "mark",
      input: z.strictObject({ scene: p.sceneFile.optional() }),
      output: playing,
      handler: async ({ scene }, work) => {
        const found = scene === undefined ? undefined : await work.project.readBytes(scene);
        if (found !== undefined && !found.ok) return found;
        return play(work, found?.value.path.res);
      },
    }),
    stop: action({
      description: "Stop what the editor plays.",
      effect: "undo",
      input: z.strictObject({}),
      output: z.strictObject({ playing: z.literal(false) }),
      handler: (_input, work) => answerOfEditor(work, "editor.stop", {}, () => "Nothing is playing."),
    }),
    restart: action({
      description: "Stop and play again.",
      effect: "mark",
      input: z.strictObject({}),
      output: playing,
      handler: async (_input, work) => {
        const state = await askEditor(work, "editor.state", {});
        if (!state.ok) return state;
        const stopped = await askEditor(work, "editor.stop", {});
        return stopped.ok ? play(work, state.value.playing ?? undefined) : stopped;
      },
    }),
  }),
});

async function showScene(
  work: EditorWork & { readonly project: Project },
  given: string,
  operation: "editor.open_scene" | "editor.reload_scene",
  done: string,
) {
  const found = await work.project.readBytes(given);
  if (!found.ok) return found;
  const scene = found.value.path.res;
  return answerOfEditor(work, operation, { scene }, () => `${scene} ${done}.`);
}

/** Saves each changed scene, with read-back and journal; then shows the previous one again. */
async function saveAll(work: DriverContext & EditorWork): Promise<ToolAnswer<{ saved: string[] }>> {
  const editor = work.workspace.connectedEditor();
  if (!editor.ok) return editor;
  const state = await askEditor(work, "editor.state", {});
  if (!state.ok) return state;
  const saved: string[] = [];
  const warnings: string[] = [];
  for (const { scene } of state.value.scenes.filter(({ unsaved }) => unsaved)) {
    const path = await work.project.resolve(scene);
    if (!path.ok) return path;
    const edit = {
      operation: "scene.save" as const,
      params: { scene },
      path: path.value,
      label: `save ${scene}`,
    };
    const done = await commitEdit(work, editor.value, edit);
    if (done.ok) saved.push(scene);
    warnings.push(...(done.ok ? done.value.warnings : [`${scene} was not saved: ${done.failure.message}`]));
  }
  const { current } = state.value;
  if (saved.length > 0 && current !== null) await askEditor(work, "editor.open_scene", { scene: current });
  return ok(
    { saved },
    {
      summary: `Saved ${saved.length} scenes.`,
      execution: { mode: "editor" },
      ...(warnings.length > 0 && { warnings }),
    },
  );
}

function play(work: EditorWork, scene: string | undefined) {
  return answerOfEditor(work, "editor.play", p.defined({ scene }), ({ scene }) => `${scene} is playing.`);
}

function connectedTo(version: string, summary: string) {
  return editorAnswer({ connected: true as const, godot: version }, summary);
}
