import * as z from "zod";
import { editSceneFile } from "../../drivers/commit-edit.ts";
import { fileSearch, searchFiles } from "../asset/files.ts";
import { ANY_CODE } from "../codes.ts";
import * as p from "../params.ts";
import { product } from "../product.ts";
import { sceneEdited } from "../shapes.ts";
import { editText } from "./edit-text.ts";
import { createScript, createShader, readCode, writeBinary, writeText } from "./files.ts";

const content = z.string().optional().describe("Whole text");

export const codeTool = product.defineActionTool({
  name: "godot_code",
  title: "Scripts, shaders and text files",
  describe: "Make, read and edit scripts, shaders and other text files. Check them with godot_diagnostics.",
  category: "code",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["project", "godots"],
  errors: ANY_CODE,
  deadlineMs: 120_000,
  goOn: "Read on with line.",
  actions: (action) => ({
    "script.create": action({
      describe: "A new GDScript, from content or from a class to extend.",
      effect: "create",
      input: z.strictObject({
        path: p.path,
        content,
        extends: z.string().optional().describe("Node unless set"),
        className: z
          .string()
          .regex(/^[A-Za-z_]\w*$/)
          .optional()
          .describe("class_name"),
        overwrite: p.overwrite,
      }),
      output: p.answer,
      run: (input, { project }) => createScript(project, input),
    }),
    "script.read": action({
      describe: "The text of a file, from a line on.",
      effect: "none",
      input: z.strictObject({
        path: p.path,
        line: z.int().min(1).optional().describe("First line"),
        maxChars: z.int().min(200).max(200_000).optional().describe("12,000 unless set"),
      }),
      output: p.answer,
      run: (input, { project }) => readCode(project, input),
    }),
    "shader.create": action({
      describe: "A new shader.",
      effect: "create",
      input: z.strictObject({
        path: p.path,
        content,
        kind: z
          .enum(["canvas_item", "spatial", "particles", "sky", "fog"])
          .optional()
          .describe("canvas_item unless set"),
        overwrite: p.overwrite,
      }),
      output: p.answer,
      run: (input, { project }) => createShader(project, input),
    }),
    "shader.apply": action({
      describe: "Gives a node a ShaderMaterial with a shader.",
      effect: "update",
      input: z.strictObject({
        scene: p.scene,
        node: p.node,
        shader: z.string().describe("res://….gdshader"),
        material: z
          .string()
          .min(1)
          .optional()
          .describe("Property; material unless set (3D: material_override)"),
        mode: p.mode,
      }),
      output: sceneEdited,
      run: async ({ node, shader, material = "material", ...input }, context) => {
        const place = await context.project.resolve(shader);
        if (!place.ok) return place;
        const value = { resource: "ShaderMaterial", properties: { shader: place.value.res } };
        return editSceneFile(context, input, `shader of ${node}`, [
          { kind: "set", node, properties: { [material]: value } },
        ]);
      },
    }),
    "file.edit": action({
      describe: "Replaces text in a file.",
      effect: "update",
      input: z.strictObject({
        path: p.path,
        find: z.string().describe("Text to find, or a regular expression"),
        replace: z.string().describe("Text instead; $1 is a group of the expression"),
        regex: z.boolean().optional().describe("find is a regular expression"),
        maxReplacements: z.int().min(1).max(10_000).optional().describe("Refuse more; 1 unless set"),
        dryRun: z.boolean().optional().describe("Only tell"),
      }),
      output: p.answer,
      run: (input, { project }) => editText(project, input),
    }),
    "file.search": action({
      describe: "Files by a part of their path, or with * and ?.",
      effect: "none",
      input: fileSearch,
      output: p.answer,
      run: (input, { project }) => searchFiles(project, input),
    }),
    "file.write": action({
      describe: "Writes a text file.",
      effect: "update",
      input: z.strictObject({ path: p.path, content, overwrite: p.overwrite }),
      output: p.answer,
      run: (input, { project }) => writeText(project, input),
    }),
    "file.write_binary": action({
      describe: "Writes a file from base64.",
      effect: "update",
      input: z.strictObject({
        path: p.path,
        base64: z.string().describe("Content"),
        overwrite: p.overwrite,
      }),
      output: p.answer,
      run: (input, { project }) => writeBinary(project, input),
    }),
  }),
});
