import { ok } from "@toolpact/contract/outcome";
import * as z from "zod";
import { projectIn } from "../../config/find-project.ts";
import { addonStatus } from "../../workspace/addon.ts";
import { doctor, doctorMarkdown } from "../../workspace/doctor.ts";
import { type Answer, told } from "../answer.ts";
import { ANY_CODE } from "../codes.ts";
import { askEditor, toldByEditor } from "../editor-request.ts";
import * as p from "../params.ts";
import { product } from "../product.ts";

const timeoutMs = z.int().min(100).max(110_000).optional().describe("Longest wait");
const headless = z.boolean().optional().describe("Without a window");

export const workspaceTool = product.defineActionTool({
  name: "godot_workspace",
  title: "Project, editor and play",
  describe:
    "What is there (status, doctor_report), the editor's life, open scenes, play and stop. Start with status.",
  category: "workspace",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["project", "godots", "settings"],
  errors: ANY_CODE,
  deadlineMs: 120_000,
  actions: (action) => ({
    status: action({
      describe: "Project, Godot, editor and which modes work.",
      effect: "none",
      input: z.strictObject({}),
      output: p.answer,
      run: async (_input, { project, godots, settings }) => {
        const editor = godots.editor();
        const binary = await godots.binary();
        const addon = await addonStatus(project.root);
        const there = projectIn(project.root);
        return ok(
          {
            project: there.ok ? project.root : null,
            folder: project.root,
            connected: editor !== undefined,
            modes: [...(editor === undefined ? [] : ["editor"]), ...(binary.ok ? ["engine"] : []), "files"],
            godot: binary.ok
              ? { path: binary.value.path, version: binary.value.version, origin: binary.value.origin }
              : { problem: binary.failure.message },
            addon: { ...addon },
            readOnly: settings.readOnly,
            gates: {
              ALLOW_DANGEROUS_OPS: settings.allowDangerousOps,
              ALLOW_EXTERNAL_TOOLS: settings.allowExternalTools,
            },
          },
          {
            summary: `${there.ok ? "" : `${there.failure.message} ${settings.readOnly ? "" : "Make one with godot_project project.create. "}`}${editor === undefined ? "No editor is connected" : `The editor (Godot ${editor.version}) is connected`}; ${binary.ok ? `Godot ${binary.value.version} is at hand` : "no Godot was found"}.`,
          },
        );
      },
    }),
    doctor_report: action({
      describe: "Checks Godot, project, addon, import state, display and ports.",
      effect: "none",
      input: z.strictObject({}),
      output: p.answer,
      run: async (_input, { project, godots }) => {
        const report = await doctor({ project: projectIn(project.root), godots, env: godots.env });
        return told({ ...report, markdown: doctorMarkdown(report) }, { summary: report.summary });
      },
    }),
    launch: action({
      describe: "Starts the editor and waits until it is connected.",
      effect: "mark",
      input: z.strictObject({ headless, timeoutMs }),
      output: p.answer,
      run: async ({ headless = false, timeoutMs = 60_000 }, { godots, signal }) => {
        const there = godots.editor();
        if (there !== undefined) return connected(there.version, "An editor is connected already.");
        const started = await godots.launch(headless);
        if (!started.ok) return started;
        const editor = await godots.waitForEditor(timeoutMs, signal);
        if (editor.ok) return connected(editor.value.version, "The editor is open and connected.");
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
      describe: "Waits for an editor to connect by itself.",
      effect: "none",
      input: z.strictObject({ timeoutMs }),
      output: p.answer,
      run: async ({ timeoutMs = 30_000 }, { godots, signal }) => {
        const editor = await godots.waitForEditor(timeoutMs, signal);
        return editor.ok ? connected(editor.value.version, "The editor is connected.") : editor;
      },
    }),
    get_state: action({
      describe: "The editor: open scenes, selection, scripts, play.",
      effect: "none",
      input: z.strictObject({}),
      output: p.answer,
      run: async (_input, { godots, signal }) => {
        const state = await askEditor(godots, signal, "editor.state", {});
        return state.ok ? toldByEditor(state.value, `${state.value.scenes.length} scenes are open.`) : state;
      },
    }),
    open_scene: action({
      describe: "Opens a scene in the editor.",
      effect: "mark",
      input: z.strictObject({ scene: p.sceneFile }),
      output: p.answer,
      run: async ({ scene }, { project, godots, signal }) => {
        const found = await project.readBytes(scene);
        if (!found.ok) return found;
        const tree = await askEditor(godots, signal, "editor.open_scene", { scene: found.value.path.res });
        return tree.ok ? toldByEditor(tree.value, `${tree.value.scene} is open.`) : tree;
      },
    }),
    close_scene: action({
      describe: "Closes a scene in the editor.",
      effect: "update",
      input: z.strictObject({
        scene: p.sceneFile,
        discard: z.boolean().optional().describe("Drop unsaved changes"),
      }),
      output: p.answer,
      run: async ({ scene, discard }, { project, godots, signal }) => {
        const found = await project.resolve(scene);
        if (!found.ok) return found;
        const closed = await askEditor(godots, signal, "editor.close_scene", {
          scene: found.value.res,
          ...(discard !== undefined && { discard }),
        });
        return closed.ok ? toldByEditor(closed.value, `${found.value.res} is closed.`) : closed;
      },
    }),
    reload_scene: action({
      describe: "Reads an open scene again from the disk.",
      effect: "update",
      input: z.strictObject({ scene: p.sceneFile }),
      output: p.answer,
      run: async ({ scene }, { project, godots, signal }) => {
        const found = await project.readBytes(scene);
        if (!found.ok) return found;
        const tree = await askEditor(godots, signal, "editor.reload_scene", { scene: found.value.path.res });
        return tree.ok ? toldByEditor(tree.value, `${tree.value.scene} is read anew.`) : tree;
      },
    }),
    save_all: action({
      describe: "Saves every open scene in the editor.",
      effect: "mark",
      input: z.strictObject({}),
      output: p.answer,
      run: async (_input, { godots, signal }) => {
        const saved = await askEditor(godots, signal, "editor.save_all", {});
        return saved.ok ? toldByEditor(saved.value, `Saved ${saved.value.saved.length} scenes.`) : saved;
      },
    }),
    run: action({
      describe: "Plays the main scene, or another, from the editor.",
      effect: "mark",
      input: z.strictObject({ scene: p.sceneFile.optional() }),
      output: p.answer,
      run: async ({ scene }, { project, godots, signal }) => {
        const found = scene === undefined ? undefined : await project.readBytes(scene);
        if (found !== undefined && !found.ok) return found;
        return play(godots, signal, found?.value.path.res);
      },
    }),
    stop: action({
      describe: "Stops what the editor plays.",
      effect: "undo",
      input: z.strictObject({}),
      output: p.answer,
      run: async (_input, { godots, signal }) => {
        const stopped = await askEditor(godots, signal, "editor.stop", {});
        return stopped.ok ? toldByEditor(stopped.value, "Nothing is playing.") : stopped;
      },
    }),
    restart: action({
      describe: "Stops, and plays again.",
      effect: "mark",
      input: z.strictObject({}),
      output: p.answer,
      run: async (_input, { godots, signal }) => {
        const state = await askEditor(godots, signal, "editor.state", {});
        if (!state.ok) return state;
        const stopped = await askEditor(godots, signal, "editor.stop", {});
        if (!stopped.ok) return stopped;
        return play(godots, signal, state.value.playing ?? undefined);
      },
    }),
  }),
});

async function play(
  godots: Parameters<typeof askEditor>[0],
  signal: AbortSignal,
  scene: string | undefined,
): Promise<Answer> {
  const playing = await askEditor(godots, signal, "editor.play", scene === undefined ? {} : { scene });
  return playing.ok ? toldByEditor(playing.value, `${playing.value.scene} is playing.`) : playing;
}

function connected(version: string, summary: string): Answer {
  return toldByEditor({ connected: true, godot: version }, summary);
}
