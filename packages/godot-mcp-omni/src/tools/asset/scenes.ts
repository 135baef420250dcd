import type { OkNotes } from "@toolpact/contract/internal";
import { ok, type Success } from "@toolpact/outcome";
import * as z from "zod";
import { closedGate } from "../../config/gates.ts";
import { commitFiles } from "../../drivers/commit/commit-files.ts";
import { errors } from "../../errors.ts";
import { SceneText, setField, setTextField, textField } from "../../formats/scene-text.ts";
import { usersOf } from "../../graph/project-graph.ts";
import type { FileCode, Project } from "../../project/project.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import { count, list, text as string } from "../../shapes.ts";
import { firstPage } from "../../shortened-page.ts";
import type { EditCode, ToolAnswer } from "../product.ts";
import { taken } from "../scene/create.ts";
import { sameKind } from "../understand/move-file.ts";
import { type RenameWork, rename } from "../understand/rename-action.ts";

const FILES = { mode: "files" } as const;

export const fileRead = z.strictObject({ path: string, text: string, chars: count, truncated: z.boolean() });
export const fileCopied = z.strictObject({ path: string, to: string });
export const fileMoved = fileCopied.extend({ updated: list(string) });
export const fileDeleted = z.strictObject({ path: string, deleted: z.literal(true) });
export const fileReplaced = z.strictObject({ path: string, old: string, new: string, count });

export async function readSceneText(
  project: Project,
  { path, maxChars }: { readonly path: string; readonly maxChars?: number | undefined },
): Promise<ToolAnswer<z.infer<typeof fileRead>, FileCode>> {
  const read = await project.readText(path);
  if (!read.ok) return read;
  const { text } = read.value;
  const shown = maxChars === undefined ? firstPage(text) : text.slice(0, maxChars);
  const cut = shown.length < text.length;
  return ok(
    { path: read.value.path.res, text: shown, chars: text.length, truncated: cut },
    {
      summary: `Read ${cut ? `the first ${shown.length} of ` : ""}${text.length} characters of ${read.value.path.res}.`,
      execution: FILES,
    },
  );
}

interface CopyInput {
  readonly path: string;
  readonly to: string;
  readonly overwrite?: boolean | undefined;
}

/** A copy is a separate file, so it must not keep the original's uid. */
export async function duplicateScene(
  project: Project,
  { path, to, overwrite }: CopyInput,
): Promise<ToolAnswer<z.infer<typeof fileCopied>, EditCode>> {
  const source = await project.readBytes(path);
  if (!source.ok) return source;
  const target = await project.resolve(to);
  if (!target.ok) return target;
  const refused =
    sameKind(source.value.path, target.value) ?? (await taken(project, target.value, overwrite));
  if (refused !== undefined) return refused;
  const scene = /\.t(?:scn|res)$/.test(source.value.path.res)
    ? SceneText.parse(source.value.bytes.toString("utf8"))
    : undefined;
  if (scene?.ok && scene.value.head !== undefined) setField(scene.value.head, "uid", undefined);
  const content = scene?.ok ? scene.value.write() : source.value.bytes;
  const written = await project.inTurn(target.value.res, () =>
    commitFiles(project, `duplicate ${source.value.path.res}`, [
      { path: target.value, content, was: overwrite ? undefined : null },
    ]),
  );
  if (!written.ok) return written;
  return changed(`Copied ${source.value.path.res} to ${target.value.res}.`, [target.value], {
    path: source.value.path.res,
    to: target.value.res,
  });
}

/** Moves a file with Godot's files next to it and updates all references. */
export async function renameScene(
  work: RenameWork,
  { path, to }: { readonly path: string; readonly to: string },
): Promise<ToolAnswer<z.infer<typeof fileMoved>, EditCode>> {
  const done = await rename(work, { target: "file", path, to });
  if (!done.ok) return done;
  const { from, to: target } = done.value;
  const updated = (done.notes?.files ?? []).flatMap(({ resPath }) => {
    const path = String(resPath);
    return path.startsWith(from) || path.startsWith(target) ? [] : [path];
  });
  return ok({ path: from, to: target, updated }, done.notes);
}

export async function deleteScene(
  { project, workspace, settings }: RenameWork,
  { path }: { readonly path: string },
): Promise<ToolAnswer<z.infer<typeof fileDeleted>, EditCode>> {
  const refused = closedGate(settings, "allowDangerousOps", "Deleting a file");
  if (refused !== undefined) return refused;
  const found = await project.readBytes(path);
  if (!found.ok) return found;
  const place = found.value.path;
  const users = await workspace.index.use(function* (graph) {
    yield;
    return [...new Set(usersOf(graph, place.res).map(({ from }) => from))].sort();
  });
  const written = await project.inTurn(place.res, () =>
    commitFiles(project, `delete ${place.res}`, [{ path: place, content: null }]),
  );
  if (!written.ok) return written;
  return changed(
    `Deleted ${place.res}; undo brings it back.`,
    [place],
    { path: place.res, deleted: true as const },
    users.length === 0 ? [] : [`Still used by ${users.join(", ")}.`],
  );
}

export async function replaceResource(
  project: Project,
  { path, old, new: next }: { readonly path: string; readonly old: string; readonly new: string },
): Promise<ToolAnswer<z.infer<typeof fileReplaced>, EditCode>> {
  const place = await project.resolve(path);
  if (!place.ok) return place;
  const from = await project.resolve(old);
  if (!from.ok) return from;
  const to = await project.readBytes(next);
  if (!to.ok) return to;
  return project.inTurn(place.value.res, () => replaced(project, place.value, from.value, to.value.path));
}

async function replaced(
  project: Project,
  path: ProjectPath,
  from: ProjectPath,
  to: ProjectPath,
): Promise<ToolAnswer<z.infer<typeof fileReplaced>, EditCode>> {
  const read = await project.textAt(path);
  if (!read.ok) return read;
  const scene = SceneText.parse(read.value.text);
  if (!scene.ok) return scene;
  const listed = scene.value.tagged("ext_resource");
  const uses = listed.filter((block) => textField(block, "path") === from.res);
  if (uses.length === 0)
    return errors.fail("E_NOT_FOUND", `${path.res} does not use ${from.res}.`, {
      details: { uses: listed.map((block) => textField(block, "path") ?? "") },
    });
  for (const block of uses) {
    setTextField(block, "path", to.res);
    // The uid belongs to the old file: with it Godot would load that one.
    setField(block, "uid", undefined);
  }
  const written = await commitFiles(project, `replace ${from.res} in ${path.res}`, [
    { path, content: scene.value.write(), was: read.value.text },
  ]);
  if (!written.ok) return written;
  return changed(`${path.res} uses ${to.res} instead of ${from.res}.`, [path], {
    path: path.res,
    old: from.res,
    new: to.res,
    count: uses.length,
  });
}

function changed<T extends object>(
  summary: string,
  places: readonly ProjectPath[],
  value: T,
  warnings: readonly string[] = [],
): Success<T, OkNotes> {
  return ok(value, {
    summary,
    execution: FILES,
    files: places.map(({ absolute, res }) => ({ kind: "file", pathAbs: absolute, resPath: res })),
    ...(warnings.length > 0 && { warnings }),
  });
}
