import type { Failure, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import * as z from "zod";
import { errors, type GodotCode } from "../../errors.ts";
import type { Project } from "../../project/project.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import type { Answer } from "../answer.ts";
import { ANY_CODE } from "../codes.ts";
import { askEditor, toldByEditor } from "../editor-request.ts";
import * as p from "../params.ts";
import { product } from "../product.ts";
import { taken } from "../scene/create.ts";

const line = z.int().min(1).describe("Line");

export const editorTool = product.defineActionTool({
  name: "godot_editor",
  title: "The editor's view",
  describe: "Pictures of the editor, its screens, scripts and breakpoints. Needs a connected editor.",
  category: "editor",
  openWorld: false,
  profiles: ["full"],
  needs: ["project", "godots", "settings"],
  errors: ANY_CODE,
  deadlineMs: 60_000,
  actions: (action) => ({
    capture_viewport: action({
      describe: "A picture of a viewport or of the whole editor.",
      effect: "none",
      input: z.strictObject({
        view: z.enum(["2D", "3D", "editor"]).optional().describe("What to show"),
        maxSize: z.int().min(64).max(4096).optional().describe("Longest side in pixels; 1280 unless set"),
        savePath: z.string().optional().describe("res://….png to keep it"),
        overwrite: p.overwrite,
      }),
      output: p.answer,
      run: async (
        { view, maxSize = 1280, savePath, overwrite },
        { project, godots, signal },
      ): Promise<Answer> => {
        const place = savePath === undefined ? undefined : await pngPlace(project, savePath, overwrite);
        if (place !== undefined && !place.ok) return place;
        const shot = await askEditor(godots, signal, "editor.screenshot", {
          maxSize,
          ...(view !== undefined && { view }),
        });
        if (!shot.ok) return shot;
        const { png, width, height } = shot.value;
        if (place !== undefined) {
          const written = await project.change(`screenshot ${place.value.res}`, [
            { path: place.value, content: Buffer.from(png, "base64") },
          ]);
          if (!written.ok) return written;
        }
        return ok(
          { width, height, ...(place !== undefined && { path: place.value.res }) },
          {
            summary: `A picture of ${width}×${height} pixels${place === undefined ? "" : `, kept in ${place.value.res}`}.`,
            execution: { mode: "editor" },
            content: [{ type: "image", data: png, mimeType: "image/png" }],
          },
        );
      },
    }),
    switch_screen: action({
      describe: "Shows a main screen.",
      effect: "mark",
      input: z.strictObject({ screen: z.enum(["2D", "3D", "Script", "AssetLib"]).describe("Screen") }),
      output: p.answer,
      run: async ({ screen }, { godots, signal }) => {
        const shown = await askEditor(godots, signal, "editor.screen", { screen });
        return shown.ok ? toldByEditor(shown.value, `The ${shown.value.screen} screen is shown.`) : shown;
      },
    }),
    edit_script: action({
      describe: "Opens a script at a line.",
      effect: "mark",
      input: z.strictObject({ path: p.path, line: line.optional() }),
      output: p.answer,
      run: async ({ path, line }, { project, godots, settings, signal }) => {
        const found = await project.readText(path);
        if (!found.ok) return found;
        const opened = await askEditor(godots, signal, "editor.edit_script", {
          path: found.value.path.res,
          externalTools: settings.allowExternalTools,
          ...(line !== undefined && { line }),
        });
        return opened.ok
          ? toldByEditor(opened.value, `${opened.value.path} is open at line ${opened.value.line}.`)
          : opened;
      },
    }),
    add_breakpoint: action({
      describe: "Sets a breakpoint, or takes it away with on false.",
      effect: "mark",
      input: z.strictObject({
        path: p.path,
        line,
        on: z.boolean().optional().describe("True unless set"),
      }),
      output: p.answer,
      run: async ({ path, line, on }, { project, godots, settings, signal }) => {
        const found = await project.readText(path);
        if (!found.ok) return found;
        const set = await askEditor(godots, signal, "editor.breakpoint", {
          path: found.value.path.res,
          line,
          externalTools: settings.allowExternalTools,
          ...(on !== undefined && { on }),
        });
        return set.ok
          ? toldByEditor(
              set.value,
              `The breakpoint at ${set.value.path}:${set.value.line} is ${set.value.on ? "set" : "gone"}.`,
            )
          : set;
      },
    }),
    select: action({
      describe: "Selects nodes in the editor.",
      effect: "mark",
      input: z.strictObject({
        scene: p.scene,
        nodes: z.array(z.string()).describe("Paths; none clears"),
        focus: z.boolean().optional().describe("Bring them into view"),
      }),
      output: p.answer,
      run: async ({ nodes, focus, scene }, { godots, signal }) => {
        const answer = await askEditor(godots, signal, "editor.select", {
          nodes,
          ...(scene !== undefined && { scene }),
          ...(focus !== undefined && { focus }),
        });
        return answer.ok
          ? toldByEditor(answer.value, `${answer.value.selection.length} nodes selected.`)
          : answer;
      },
    }),
    get_selection: action({
      describe: "What is selected in the editor.",
      effect: "none",
      input: z.strictObject({}),
      output: p.answer,
      run: async (_input, { godots, signal }) => {
        const state = await askEditor(godots, signal, "editor.state", {});
        if (!state.ok) return state;
        const { current, selection } = state.value;
        return toldByEditor({ scene: current, selection }, `${selection.length} nodes are selected.`);
      },
    }),
    list_open_scripts: action({
      describe: "Scripts open in the editor.",
      effect: "none",
      input: z.strictObject({}),
      output: p.answer,
      run: async (_input, { godots, signal }) => {
        const state = await askEditor(godots, signal, "editor.state", {});
        return state.ok
          ? toldByEditor({ scripts: state.value.scripts }, `${state.value.scripts.length} scripts are open.`)
          : state;
      },
    }),
  }),
});

async function pngPlace(
  project: Project,
  path: string,
  overwrite: boolean | undefined,
): Promise<Outcome<ProjectPath, Failure<GodotCode>>> {
  const place = await project.resolve(path);
  if (!place.ok) return place;
  if (!place.value.res.endsWith(".png"))
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `${place.value.res} is no name for a picture: it ends in .png.`,
    );
  return (await taken(project, place.value, overwrite)) ?? place;
}
