import { readdir, stat } from "node:fs/promises";
import type { OkNotes } from "@toolpact/contract/internal";
import { makeFolder } from "@toolpact/file-lock";
import { ok, type Success } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type Result } from "../../errors.ts";
import { compileGlob, MAX_PATTERN } from "../../formats/glob.ts";
import { diskFailure, type Project } from "../../project/project.ts";
import type { PathCode, ProjectPath } from "../../project/project-path.ts";
import { count as amount, list, text } from "../../shapes.ts";
import * as p from "../params.ts";
import { count, type FolderCode, type ToolAnswer } from "../product.ts";

const MAX_FILES = 500;

const filePage = z.strictObject({ files: list(text), total: amount });
type FilePage = z.infer<typeof filePage>;

export const folderCreated = z.strictObject({ path: text, created: z.boolean() });
export const folderContent = filePage.extend({ folder: text, folders: list(text).exactOptional() });
export const foundFiles = filePage.extend({ pattern: text });

export async function createFolder(
  project: Project,
  path: string,
): Promise<ToolAnswer<z.infer<typeof folderCreated>, PathCode | "E_INTERNAL">> {
  const found = await project.resolve(path);
  if (!found.ok) return found;
  const { absolute, res } = found.value;
  const there = await stat(absolute).catch(() => undefined);
  if (there?.isFile()) return errors.fail("E_SCHEMA_VALIDATION", `${res} is a file.`);
  try {
    await makeFolder(absolute, 0o777);
  } catch (error) {
    return diskFailure(error as NodeJS.ErrnoException, res);
  }
  const created = there === undefined;
  return ok(
    { path: res, created },
    {
      summary: created ? `Created the folder ${res}.` : `The folder ${res} was there already.`,
      execution: { mode: "files" },
      files: [{ kind: "folder", pathAbs: absolute, resPath: res }],
    },
  );
}

export async function listFiles(
  project: Project,
  input: {
    readonly folder?: string | undefined;
    readonly recursive?: boolean | undefined;
    readonly limit?: number | undefined;
  },
): Promise<ToolAnswer<z.infer<typeof folderContent>, FolderCode>> {
  const found = await folderAt(project, input.folder);
  if (!found.ok) return found;
  const { limit = MAX_FILES, recursive = false } = input;
  const folders = recursive ? [] : await foldersIn(found.value);
  const files: string[] = [];
  let total = 0;
  for await (const file of recursive ? project.files(found.value) : filesIn(found.value)) {
    total++;
    if (files.length < limit) files.push(file.res);
  }
  return listed({ folder: found.value.res, ...(folders.length > 0 && { folders }) }, files, total);
}

export const FILE_LIMIT = "200, in a folder 500";

export const fileSearch = z.strictObject({
  pattern: z.string().describe("enemy or *.png"),
  folder: p.folder,
  limit: p.limit(FILE_LIMIT),
});

/** A pattern without `*` and `?` matches a part of the path, ignoring case. */
export async function searchFiles(
  project: Project,
  input: z.infer<typeof fileSearch>,
): Promise<ToolAnswer<z.infer<typeof foundFiles>, FolderCode>> {
  const found = await folderAt(project, input.folder);
  if (!found.ok) return found;
  const { pattern, limit = 200 } = input;
  if (pattern.length > MAX_PATTERN)
    return errors.fail("E_SCHEMA_VALIDATION", `A pattern has at most ${MAX_PATTERN} characters.`);
  const matches = matcher(pattern);
  const files: string[] = [];
  let total = 0;
  for await (const file of project.files(found.value)) {
    if (!matches(file.res)) continue;
    total++;
    if (files.length < limit) files.push(file.res);
  }
  return listed({ pattern }, files, total);
}

function matcher(pattern: string): (res: string) => boolean {
  if (!/[*?]/.test(pattern)) {
    const part = pattern.toLowerCase();
    return (res) => res.toLowerCase().includes(part);
  }
  const isPath = pattern.includes("/");
  const matches = compileGlob(pattern.replace(/^res:\/\//, "").toLowerCase(), { isPath });
  return (res) => {
    const path = res.slice("res://".length).toLowerCase();
    return matches(path) || (!isPath && matches(path.split("/").at(-1) ?? ""));
  };
}

async function folderAt(project: Project, folder = "res://"): Promise<Result<ProjectPath, FolderCode>> {
  const found = await project.resolve(folder);
  if (!found.ok) return found;
  const there = await stat(found.value.absolute).catch(() => undefined);
  if (there === undefined)
    return errors.fail("E_NOT_FOUND", `There is no folder ${found.value.res}.`, {
      details: { path: found.value.res },
    });
  if (!there.isDirectory()) return errors.fail("E_SCHEMA_VALIDATION", `${found.value.res} is not a folder.`);
  return found;
}

async function foldersIn(place: ProjectPath): Promise<string[]> {
  const entries = await readdir(place.absolute, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => below(place, entry.name));
}

async function* filesIn(place: ProjectPath): AsyncGenerator<{ res: string }> {
  for (const entry of await readdir(place.absolute, { withFileTypes: true }))
    if (entry.isFile() && !entry.name.startsWith(".")) yield { res: below(place, entry.name) };
}

function below(place: ProjectPath, name: string): string {
  return place.res === "res://" ? `res://${name}` : `${place.res}/${name}`;
}

function listed<T extends object>(
  more: T,
  files: readonly string[],
  total: number,
): Success<T & FilePage, OkNotes> {
  return ok(
    { ...more, files, total },
    {
      summary: `${count(total, "file")}${total > files.length ? `, the first ${files.length} listed` : ""}.`,
      execution: { mode: "files" },
    },
  );
}
