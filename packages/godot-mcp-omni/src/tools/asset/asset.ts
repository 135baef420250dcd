import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { ask, type DriverContext } from "../../drivers/ask.ts";
import type { Mode } from "../../operations/driver.ts";
import { resourceId, sceneEdited } from "../../operations/results.ts";
import { list, text } from "../../shapes.ts";
import { editSceneFile } from "../edit-scene.ts";
import * as p from "../params.ts";
import { ANY_CODE, answerOf, EDIT, FOLDER, PATH, product, READ } from "../product.ts";
import {
  createFolder,
  FILE_LIMIT,
  fileSearch,
  folderContent,
  folderCreated,
  foundFiles,
  listFiles,
  searchFiles,
} from "./files.ts";
import { createResource, editResource, resourceCreated, resourceEdited } from "./resources.ts";
import {
  deleteScene,
  duplicateScene,
  fileCopied,
  fileDeleted,
  fileMoved,
  fileRead,
  fileReplaced,
  readSceneText,
  renameScene,
  replaceResource,
} from "./scenes.ts";

const to = z.string().describe("New path, such as res://levels/a.tscn");
const paths = z.array(z.string()).optional().describe("Files, such as res://icon.png; default: all");

const imported = z.strictObject({ imported: z.literal(true), paths: list(text) });

export const assetTool = product.defineActionTool({
  name: "godot_asset",
  title: "Files, assets and resources",
  description:
    "Find, read, create, move and delete files of the project; import assets; create and edit resources. For scripts and text use godot_code.",
  category: "asset",
  openWorld: false,
  profiles: ["full"],
  needs: ["project", "workspace", "settings"],
  errors: ANY_CODE,
  deadlineMs: 300_000,
  goOn: "Narrow it with folder, pattern or limit.",
  actions: (action) => ({
    file_exists: action({
      description: "Check whether a file or folder exists.",
      effect: "none",
      errors: PATH,
      input: z.strictObject({ path: p.path }),
      output: z.strictObject({ path: text, exists: z.boolean() }),
      handler: async ({ path }, { project }) => {
        const found = await project.resolve(path);
        if (!found.ok) return found;
        const exists = await project.exists(path);
        return ok(
          { path: found.value.res, exists },
          { summary: `${found.value.res} ${exists ? "exists" : "does not exist"}.`, execution: FILES },
        );
      },
    }),
    create_folder: action({
      description: "Create a folder and those above it.",
      effect: "mark",
      errors: [...PATH, "E_INTERNAL"],
      input: z.strictObject({ path: p.path }),
      output: folderCreated,
      handler: ({ path }, { project }) => createFolder(project, path),
    }),
    list_resources: action({
      description: "List the content of a folder.",
      effect: "none",
      errors: FOLDER,
      input: z.strictObject({
        folder: p.folder,
        recursive: z.boolean().optional().describe("Include folders below"),
        limit: p.limit(FILE_LIMIT),
      }),
      output: folderContent,
      handler: (input, { project }) => listFiles(project, input),
    }),
    search_files: action({
      description: "Find files by part of their path, or with * and ?.",
      effect: "none",
      errors: FOLDER,
      input: fileSearch,
      output: foundFiles,
      handler: (input, { project }) => searchFiles(project, input),
    }),
    "scene.read": action({
      description: "Read the text of a scene or resource file.",
      effect: "none",
      errors: READ,
      input: z.strictObject({
        path: p.path,
        maxChars: z.int().min(200).max(200_000).optional().describe("Default: about 6000"),
      }),
      output: fileRead,
      handler: (input, { project }) => readSceneText(project, input),
    }),
    "scene.duplicate": action({
      description: "Copy a scene or resource file.",
      effect: "create",
      errors: EDIT,
      input: z.strictObject({ path: p.path, to, overwrite: p.overwrite }),
      output: fileCopied,
      handler: (input, { project }) => duplicateScene(project, input),
    }),
    "scene.rename": action({
      description:
        "Move a file and update every scene, script and setting that names it; undo moves it back.",
      effect: "update",
      errors: EDIT,
      input: z.strictObject({ path: p.path, to }),
      output: fileMoved,
      handler: (input, work) => renameScene(work, input),
    }),
    "scene.delete": action({
      description: "Delete a file; undo restores it. Needs ALLOW_DANGEROUS_OPS.",
      effect: "delete",
      errors: EDIT,
      input: z.strictObject({ path: p.path }),
      output: fileDeleted,
      handler: (input, work) => deleteScene(work, input),
    }),
    "scene.replace_resource": action({
      description: "Make a scene use another file instead of one it uses.",
      effect: "update",
      errors: EDIT,
      input: z.strictObject({
        path: p.path,
        old: z.string().describe("File it uses, such as res://a.png"),
        new: z.string().describe("File to use instead, such as res://b.png"),
      }),
      output: fileReplaced,
      handler: (input, { project }) => replaceResource(project, input),
    }),
    load_texture: action({
      description: "Set the texture of a node.",
      effect: "update",
      input: z.strictObject({
        scene: p.scene,
        node: p.node,
        texture: z.string().describe("Image, such as res://icon.png"),
        mode: p.mode,
      }),
      output: sceneEdited,
      handler: async ({ node, texture, ...input }, context) => {
        const image = await context.project.resolve(texture);
        if (!image.ok) return image;
        const properties = { texture: image.value.res };
        return editSceneFile(context, input, `texture of ${node}`, [{ kind: "set", node, properties }]);
      },
    }),
    "resource.create": action({
      description: "Create a resource file (.tres).",
      effect: "create",
      input: z.strictObject({
        path: p.path,
        type: z.string().describe("Resource class: BoxShape3D, preset:gold"),
        properties: p.properties.optional(),
        overwrite: p.overwrite,
        mode: p.mode,
      }),
      output: resourceCreated,
      handler: ({ properties, ...input }, context) =>
        createResource(context, { ...input, properties: p.asObject(properties) ?? {} }),
    }),
    "resource.edit": action({
      description: "Set properties of a resource file.",
      effect: "update",
      input: z.strictObject({ path: p.path, properties: p.properties, mode: p.mode }),
      output: resourceEdited,
      handler: ({ properties, ...input }, context) =>
        editResource(context, { ...input, properties: p.asObject(properties) ?? {} }),
    }),
    get_uid: action({
      description: "Get the uid:// of a file.",
      effect: "none",
      input: z.strictObject({ path: p.path, mode: p.mode }),
      output: resourceId,
      handler: async ({ path, mode }, context) => {
        const found = await context.project.readBytes(path);
        if (!found.ok) return found;
        const { res } = found.value.path;
        const read = await ask(context, mode, "uid", { path: res });
        return answerOf(read, ({ uid }) => (uid === null ? `${res} has no uid.` : `${res} is ${uid}.`));
      },
    }),
    uid_convert: action({
      description: "Get the file of a uid://.",
      effect: "none",
      input: z.strictObject({ uid: z.string().describe("Such as uid://c4x8dq2yfwkqb"), mode: p.mode }),
      output: resourceId,
      handler: async ({ uid, mode }, context) =>
        answerOf(await ask(context, mode, "uid", { uid }), ({ path }) => `${uid} is ${path}.`),
    }),
    scan: action({
      description: "Let Godot find new files, import them and register new classes.",
      effect: "mark",
      input: z.strictObject({ mode: p.mode }),
      output: imported,
      handler: ({ mode }, context) => importAssets(context, undefined, mode),
    }),
    reimport: action({
      description: "Import assets again.",
      effect: "mark",
      input: z.strictObject({ paths, mode: p.mode }),
      output: imported,
      handler: ({ paths, mode }, context) => importAssets(context, paths, mode),
    }),
  }),
});

const FILES = { mode: "files" } as const;

async function importAssets(
  context: DriverContext,
  given: readonly string[] | undefined,
  mode: Mode | undefined,
) {
  const paths: string[] = [];
  for (const path of given ?? []) {
    const found = await context.project.readBytes(path);
    if (!found.ok) return found;
    paths.push(found.value.path.res);
  }
  const read = await ask(context, mode, "project.import", paths.length === 0 ? {} : { paths });
  if (!read.ok) return read;
  const { mode: executed } = read.value;
  return ok(
    { imported: true as const, paths },
    { summary: "Assets are imported.", execution: { mode: executed } },
  );
}
