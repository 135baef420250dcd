import { ok } from "@toolpact/outcome";
import * as z from "zod";
import type { Settings } from "../../config/settings.ts";
import { commitFiles } from "../../drivers/commit/commit-files.ts";
import { errors, type Result } from "../../errors.ts";
import type { Project } from "../../project/project.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import { stopOf } from "../../project/state-folder.ts";
import { count, list, place, text } from "../../shapes.ts";
import { answerOfEditor, askEditor, editorAnswer } from "../editor-request.ts";
import * as p from "../params.ts";
import { ANY_CODE, product } from "../product.ts";
import { taken } from "../scene/create.ts";

const line = z.int().min(1).describe("Line number, from 1");

export const editorTool = product.defineActionTool({
  name: "godot_editor",
  title: "The editor's view",
  description:
    "Take pictures of the connected editor, switch its screens, open scripts, set breakpoints and select nodes. Connect one with godot_workspace launch.",
  category: "editor",
  openWorld: false,
  profiles: ["full"],
  needs: ["project", "workspace", "settings"],
  hasContent: true,
  errors: ANY_CODE,
  deadlineMs: 60_000,
  actions: (action) => ({
    capture_viewport: action({
      description: "Take a picture of a viewport or of the whole editor.",
      effect: "none",
      input: z.strictObject({
        view: z.enum(["2D", "3D", "editor"]).optional().describe("What to show; default: editor"),
        maxSize: z.int().min(64).max(4096).optional().describe("Longest side in pixels; default: 1280"),
        savePath: z.string().optional().describe("res://shot.png to keep the picture"),
        overwrite: p.overwrite,
      }),
      output: z.strictObject({ width: count, height: count, path: text.exactOptional() }),
      handler: async ({ view, maxSize = 1280, savePath, overwrite }, work) => {
        // A saved screenshot is a file of the project, unlike one that is only shown.
        const refused = savePath === undefined ? undefined : refusedFile(work.settings, work.project.root);
        if (refused !== undefined) return refused;
        const file = savePath === undefined ? undefined : await pngFile(work.project, savePath, overwrite);
        if (file !== undefined && !file.ok) return file;
        const shot = await askEditor(work, "editor.screenshot", p.defined({ maxSize, view }));
        if (!shot.ok) return shot;
        const { png, width, height } = shot.value;
        const path = file?.value.res;
        if (file !== undefined) {
          const written = await commitFiles(work.project, `screenshot ${path}`, [
            { path: file.value, content: Buffer.from(png, "base64") },
          ]);
          if (!written.ok) return written;
        }
        return ok(p.defined({ width, height, path }), {
          summary: `A picture of ${width}×${height} pixels${path === undefined ? "" : `, saved as ${path}`}.`,
          execution: { mode: "editor" },
          content: [{ type: "image", data: png, mimeType: "image/png" }],
        });
      },
    }),
    switch_screen: action({
      description: "Show one of the main screens.",
      effect: "mark",
      input: z.strictObject({
        screen: z.enum(["2D", "3D", "Script", "AssetLib"]).describe("Screen to show"),
      }),
      output: z.strictObject({ screen: text }),
      handler: ({ screen }, work) =>
        answerOfEditor(work, "editor.screen", { screen }, (shown) => `The ${shown.screen} screen is shown.`),
    }),
    edit_script: action({
      description: "Open a script at a line.",
      effect: "mark",
      input: z.strictObject({ path: p.path, line: line.optional() }),
      output: place,
      handler: async ({ path, line }, work) => {
        const found = await work.project.readText(path);
        if (!found.ok) return found;
        const { allowExternalTools: externalTools } = work.settings;
        const params = p.defined({ path: found.value.path.res, externalTools, line });
        return answerOfEditor(
          work,
          "editor.edit_script",
          params,
          (opened) => `${opened.path} is open at line ${opened.line}.`,
        );
      },
    }),
    add_breakpoint: action({
      description: "Set a breakpoint; with on false, remove it.",
      effect: "mark",
      input: z.strictObject({
        path: p.path,
        line,
        on: z.boolean().optional().describe("Default: true"),
      }),
      output: place.extend({ on: z.boolean() }),
      handler: async ({ path, line, on }, work) => {
        const found = await work.project.readText(path);
        if (!found.ok) return found;
        const { allowExternalTools: externalTools } = work.settings;
        const params = p.defined({ path: found.value.path.res, line, externalTools, on });
        return answerOfEditor(
          work,
          "editor.breakpoint",
          params,
          (set) => `The breakpoint at ${set.path}:${set.line} is ${set.on ? "set" : "removed"}.`,
        );
      },
    }),
    select: action({
      description: "Select nodes in the editor.",
      effect: "mark",
      input: z.strictObject({
        scene: p.scene,
        nodes: z.array(z.string()).describe("Node paths, such as Player/Sprite; an empty list clears"),
        focus: z.boolean().optional().describe("Bring them into view"),
      }),
      output: z.strictObject({ selection: list(text) }),
      handler: (input, work) =>
        answerOfEditor(
          work,
          "editor.select",
          p.defined(input),
          ({ selection }) => `${selection.length} nodes selected.`,
        ),
    }),
    get_selection: action({
      description: "Get the nodes selected in the editor.",
      effect: "none",
      input: z.strictObject({}),
      output: z.strictObject({ scene: text.nullable(), selection: list(text) }),
      handler: async (_input, work) => {
        const state = await askEditor(work, "editor.state", {});
        if (!state.ok) return state;
        const { current, selection } = state.value;
        return editorAnswer({ scene: current, selection }, `${selection.length} nodes are selected.`);
      },
    }),
    list_open_scripts: action({
      description: "List the scripts open in the editor.",
      effect: "none",
      input: z.strictObject({}),
      output: z.strictObject({ scripts: list(text) }),
      handler: async (_input, work) => {
        const state = await askEditor(work, "editor.state", {});
        if (!state.ok) return state;
        const { scripts } = state.value;
        return editorAnswer({ scripts }, `${scripts.length} scripts are open.`);
      },
    }),
  }),
});

function refusedFile({ readOnly }: Settings, root: string) {
  if (!readOnly && stopOf(root) === undefined) return undefined;
  return errors.fail(
    "E_PERMISSION_DENIED",
    readOnly
      ? "savePath writes a file, and this server is read-only."
      : "savePath writes a file, and a person has stopped all changes of this project.",
    {
      details: { gate: readOnly ? "READ_ONLY" : "STOPPED" },
      suggestedFix: "Leave savePath out: the answer has the picture.",
      fixBy: "agent",
    },
  );
}

async function pngFile(
  project: Project,
  path: string,
  overwrite: boolean | undefined,
): Promise<Result<ProjectPath>> {
  const file = await project.resolve(path);
  if (!file.ok) return file;
  if (!file.value.res.endsWith(".png"))
    return errors.fail("E_SCHEMA_VALIDATION", `${file.value.res} must end in .png.`);
  return (await taken(project, file.value, overwrite)) ?? file;
}
