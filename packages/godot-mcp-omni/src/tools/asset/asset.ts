import { ok } from "@toolpact/contract/outcome";
import * as z from "zod";
import { ask, type DriverContext } from "../../drivers/ask.ts";
import type { Mode } from "../../drivers/driver.ts";
import { type Answer, told } from "../answer.ts";
import { ANY_CODE } from "../codes.ts";
import { editSceneFile } from "../edit-scene.ts";
import * as p from "../params.ts";
import { product } from "../product.ts";
import { sceneEdited } from "../shapes.ts";
import {
  createFolder,
  fileSearch,
  folderContent,
  folderCreated,
  foundFiles,
  listFiles,
  searchFiles,
} from "./files.ts";
import { createResource, editResource } from "./resources.ts";
import { deleteScene, duplicateScene, readSceneText, renameScene, replaceResource } from "./scenes.ts";

const to = z.string().describe("New path");
const paths = z.array(z.string()).optional().describe("Files; all unless set");

export const assetTool = product.defineActionTool({
  name: "godot_asset",
  title: "Files, assets and resources",
  describe: "Find, read, make and move files of the project; import assets; make and edit resources.",
  category: "asset",
  openWorld: false,
  profiles: ["full"],
  needs: ["project", "godots", "settings"],
  errors: ANY_CODE,
  deadlineMs: 300_000,
  goOn: "Narrow it with folder, pattern or limit.",
  actions: (action) => ({
    file_exists: action({
      describe: "Whether a file or folder is there.",
      effect: "none",
      input: z.strictObject({ path: p.path }),
      output: p.answer,
      run: async ({ path }, { project }) => {
        const found = await project.resolve(path);
        if (!found.ok) return found;
        const exists = await project.exists(path);
        return ok(
          { path: found.value.res, exists },
          { summary: `${found.value.res} is ${exists ? "" : "not "}there.`, execution: FILES },
        );
      },
    }),
    create_folder: action({
      describe: "Makes a folder, and those above it.",
      effect: "mark",
      input: z.strictObject({ path: p.path }),
      output: folderCreated,
      run: ({ path }, { project }) => createFolder(project, path),
    }),
    list_resources: action({
      describe: "What is in a folder.",
      effect: "none",
      input: z.strictObject({
        folder: p.folder,
        recursive: z.boolean().optional().describe("Folders below too"),
        limit: p.limit,
      }),
      output: folderContent,
      run: (input, { project }) => listFiles(project, input),
    }),
    search_files: action({
      describe: "Files by a part of their path, or with * and ?.",
      effect: "none",
      input: fileSearch,
      output: foundFiles,
      run: (input, { project }) => searchFiles(project, input),
    }),
    "scene.read": action({
      describe: "The text of a scene or resource.",
      effect: "none",
      input: z.strictObject({
        path: p.path,
        maxChars: z.int().min(200).max(200_000).optional().describe("20,000 unless set"),
      }),
      output: p.answer,
      run: (input, { project }) => readSceneText(project, input),
    }),
    "scene.duplicate": action({
      describe: "Copies a scene or resource file.",
      effect: "create",
      input: z.strictObject({ path: p.path, to, overwrite: p.overwrite }),
      output: p.answer,
      run: (input, { project }) => duplicateScene(project, input),
    }),
    "scene.rename": action({
      describe: "Moves a file; every scene and setting that names it follows. Needs ALLOW_DANGEROUS_OPS.",
      effect: "update",
      input: z.strictObject({ path: p.path, to }),
      output: p.answer,
      run: (input, { project, settings }) => renameScene(project, settings, input),
    }),
    "scene.delete": action({
      describe: "Deletes a file; undo brings it back. Needs ALLOW_DANGEROUS_OPS.",
      effect: "delete",
      input: z.strictObject({ path: p.path }),
      output: p.answer,
      run: (input, { project, settings }) => deleteScene(project, settings, input),
    }),
    "scene.replace_resource": action({
      describe: "Lets a scene use another file in place of one.",
      effect: "update",
      input: z.strictObject({
        path: p.path,
        old: z.string().describe("File it uses"),
        new: z.string().describe("File to use instead"),
      }),
      output: p.answer,
      run: (input, { project }) => replaceResource(project, input),
    }),
    load_texture: action({
      describe: "Gives a node a texture.",
      effect: "update",
      input: z.strictObject({
        scene: p.scene,
        node: p.node,
        texture: z.string().describe("res:// image"),
        mode: p.mode,
      }),
      output: sceneEdited,
      run: async ({ node, texture, ...input }, context) => {
        const image = await context.project.resolve(texture);
        if (!image.ok) return image;
        const properties = { texture: image.value.res };
        return editSceneFile(context, input, `texture of ${node}`, [{ kind: "set", node, properties }]);
      },
    }),
    "resource.create": action({
      describe: "A new resource file (.tres).",
      effect: "create",
      input: z.strictObject({
        path: p.path,
        type: p.type,
        properties: p.properties.optional(),
        overwrite: p.overwrite,
        mode: p.mode,
      }),
      output: p.answer,
      run: ({ properties, ...input }, context) =>
        createResource(context, { ...input, properties: p.asObject(properties) ?? {} }),
    }),
    "resource.edit": action({
      describe: "Sets properties of a resource file.",
      effect: "update",
      input: z.strictObject({ path: p.path, properties: p.properties, mode: p.mode }),
      output: p.answer,
      run: ({ properties, ...input }, context) =>
        editResource(context, { ...input, properties: p.asObject(properties) ?? {} }),
    }),
    get_uid: action({
      describe: "The uid:// of a file.",
      effect: "none",
      input: z.strictObject({ path: p.path, mode: p.mode }),
      output: p.answer,
      run: async ({ path, mode }, context) => {
        const found = await context.project.readBytes(path);
        if (!found.ok) return found;
        const { res } = found.value.path;
        const read = await ask(context, mode, "uid", { path: res });
        if (!read.ok) return read;
        const { value, mode: by } = read.value;
        return told(value, {
          summary: `${res} is ${value.uid ?? "without a uid"}.`,
          execution: { mode: by },
        });
      },
    }),
    uid_convert: action({
      describe: "The file behind a uid://.",
      effect: "none",
      input: z.strictObject({ uid: z.string().describe("uid://…"), mode: p.mode }),
      output: p.answer,
      run: async ({ uid, mode }, context) => {
        const read = await ask(context, mode, "uid", { uid });
        if (!read.ok) return read;
        const { value, mode: by } = read.value;
        return told(value, { summary: `${uid} is ${value.path}.`, execution: { mode: by } });
      },
    }),
    scan: action({
      describe: "Lets Godot look for new files, import them and learn new classes.",
      effect: "mark",
      input: z.strictObject({ mode: p.mode }),
      output: p.answer,
      run: ({ mode }, context) => importAssets(context, undefined, mode),
    }),
    reimport: action({
      describe: "Imports assets again.",
      effect: "mark",
      input: z.strictObject({ paths, mode: p.mode }),
      output: p.answer,
      run: ({ paths, mode }, context) => importAssets(context, paths, mode),
    }),
  }),
});

const FILES = { mode: "files" } as const;

async function importAssets(
  context: DriverContext,
  given: readonly string[] | undefined,
  mode: Mode | undefined,
): Promise<Answer> {
  const paths: string[] = [];
  for (const path of given ?? []) {
    const found = await context.project.readBytes(path);
    if (!found.ok) return found;
    paths.push(found.value.path.res);
  }
  const read = await ask(context, mode, "project.import", paths.length === 0 ? {} : { paths });
  if (!read.ok) return read;
  return told(
    { ...read.value.value, paths },
    { summary: "Assets are imported.", execution: { mode: read.value.mode } },
  );
}
