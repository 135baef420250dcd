import { ok } from "@toolpact/outcome";
import * as z from "zod";
import type { Drivers } from "../../drivers/drivers.ts";
import type { GodotCode } from "../../errors.ts";
import { type Problem, sceneEdited } from "../../operations/results.ts";
import { fileSearch, foundFiles, searchFiles } from "../asset/files.ts";
import { editSceneFile } from "../edit-scene.ts";
import * as p from "../params.ts";
import { ANY_CODE, count, EDIT, FOLDER, product, READ, type ToolAnswer, WRITE } from "../product.ts";
import { editText, textEdit, textEdited } from "./edit-text.ts";
import {
  createScript,
  createShader,
  fileWritten,
  newBinary,
  newFile,
  newScript,
  newShader,
  readCode,
  textPlace,
  textRead,
  writeBinary,
  writeText,
} from "./files.ts";

export const codeTool = product.defineActionTool({
  name: "godot_code",
  title: "Scripts, shaders and text files",
  description:
    "Create, read and edit scripts, shaders and text files. Check scripts afterwards with godot_diagnostics.",
  category: "code",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["project", "workspace"],
  errors: ANY_CODE,
  deadlineMs: 120_000,
  goOn: "Read on from nextLine with line.",
  actions: (action) => ({
    "script.create": action({
      description: "Create a GDScript from content, or by the class it extends.",
      effect: "create",
      errors: [...WRITE, "E_UNSUPPORTED"],
      input: newScript,
      output: fileWritten,
      handler: async (input, work) => withProblems(await createScript(work.project, input), work),
    }),
    "script.read": action({
      description: "Read a text file, from a line on.",
      effect: "none",
      errors: READ,
      input: textPlace,
      output: textRead,
      handler: (input, { project }) => readCode(project, input),
    }),
    "shader.create": action({
      description: "Create a shader.",
      effect: "create",
      errors: [...WRITE, "E_UNSUPPORTED"],
      input: newShader,
      output: fileWritten,
      handler: (input, { project }) => createShader(project, input),
    }),
    "shader.apply": action({
      description: "Give a node a ShaderMaterial with a shader.",
      effect: "update",
      input: z.strictObject({
        scene: p.scene,
        node: p.node,
        shader: z.string().describe("res://water.gdshader"),
        material: z.string().min(1).optional().describe("Default: material (3D: material_override)"),
        mode: p.mode,
      }),
      output: sceneEdited,
      handler: async ({ node, shader, material = "material", ...input }, context) => {
        const place = await context.project.resolve(shader);
        if (!place.ok) return place;
        const value = { resource: "ShaderMaterial", properties: { shader: place.value.res } };
        return editSceneFile(context, input, `shader of ${node}`, [
          { kind: "set", node, properties: { [material]: value } },
        ]);
      },
    }),
    "file.edit": action({
      description: "Replace part of a text file.",
      effect: "update",
      errors: EDIT,
      input: textEdit,
      output: textEdited,
      handler: async (input, work) => {
        const edited = await editText(work.project, input);
        return input.dryRun ? edited : withProblems(edited, work);
      },
    }),
    "file.search": action({
      description: "Find files by part of their path, or with * and ?.",
      effect: "none",
      errors: FOLDER,
      input: fileSearch,
      output: foundFiles,
      handler: (input, { project }) => searchFiles(project, input),
    }),
    "file.write": action({
      description: "Write a whole text file.",
      effect: "update",
      errors: [...WRITE, "E_UNSUPPORTED"],
      input: newFile,
      output: fileWritten,
      handler: async (input, work) => withProblems(await writeText(work.project, input), work),
    }),
    "file.write_binary": action({
      description: "Write a file from base64.",
      effect: "update",
      errors: [...WRITE, "E_UNSUPPORTED"],
      input: newBinary,
      output: fileWritten,
      handler: (input, { project }) => writeBinary(project, input),
    }),
  }),
});

/** After this time, a script that has not compiled is answered without its problems. */
const CHECK_MS = 30_000;

/**
 * Adds the compiler's problems of a new script, if an engine is running: a call that writes a
 * file does not start one.
 */
async function withProblems<T extends { readonly path: string }, Code extends GodotCode>(
  written: ToolAnswer<T, Code>,
  { workspace, signal }: { readonly workspace: Drivers; readonly signal: AbortSignal },
): Promise<ToolAnswer<T & { readonly problems?: readonly Problem[] }, Code>> {
  if (!written.ok || !written.value.path.endsWith(".gd")) return written;
  const engine = await workspace.engine();
  if (!engine.ok || !engine.value.isReady) return written;
  const { path } = written.value;
  const checked = await engine.value.request(
    "diagnostics",
    { paths: [path] },
    { signal, timeoutMs: CHECK_MS },
  );
  if (!checked.ok) return written;
  const { problems } = checked.value;
  const found = problems.length === 0 ? "It compiles." : `It has ${count(problems.length, "problem")}.`;
  return ok(
    { ...written.value, problems },
    { ...written.notes, summary: `${written.notes?.summary ?? ""} ${found}`.trim() },
  );
}
