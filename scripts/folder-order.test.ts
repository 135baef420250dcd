import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { packages, root } from "./packages.ts";

/**
 * A `folders.json` orders the files and folders next to it: each may import only earlier ones. `.` stands
 * for all unnamed files. A folder that needs more declares it in its own `folders.json`:
 *
 *     { "exceptions": { "notify/channel.ts": "the reason" } }
 */
interface FolderRules {
  readonly order?: readonly string[];
  /** With the reason, relative to the folder whose order forbids them. */
  readonly exceptions?: Readonly<Record<string, string>>;
}

const MAX_EXCEPTIONS = 5;

const IMPORT = /(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g;

const sources = packages().map(({ folder }) => join(folder, "src"));
const ordered = sources.flatMap(orderedFolders);

test("every package with folders orders them", () => {
  const without = sources.filter((src) => hasFolders(src) && rulesOf(src).order === undefined);
  expect(without.map(fromRoot)).toEqual([]);
});

describe.each(ordered.map((folder) => ({ folder, name: fromRoot(folder) })))("$name", ({ folder }) => {
  const order = rulesOf(folder).order ?? [];
  const imports = filesIn(folder).flatMap((file) => importsOf(file).map((target) => ({ file, target })));

  test("lists each of its files and folders once", () => {
    const children = new Set(filesIn(folder).map((file) => fromHere(file).split("/")[0] ?? ""));
    const isNamed = (child: string) => order.includes(child) || (isSource(child) && order.includes("."));
    const missing = [...children].filter((child) => !isNamed(child));
    const gone = order.filter((name) => name !== "." && !children.has(name));
    expect({ missing, gone }).toEqual({ missing: [], gone: [] });
    expect(order).toEqual([...new Set(order)]);
  });

  test("imports only earlier folders", () => {
    const wrong = imports.filter((found) => isToTheRight(found) && exceptionFor(found) === undefined);
    expect(wrong.map(({ file, target }) => `${fromHere(file)} -> ${fromHere(target)}`)).toEqual([]);
  });

  function isToTheRight({ file, target }: Import): boolean {
    if (!target.startsWith(`${folder}/`)) return false;
    const [from, to] = [placeOf(file), placeOf(target)];
    return from !== to && order.indexOf(to) > order.indexOf(from);
  }

  function placeOf(file: string): string {
    const [child = ""] = fromHere(file).split("/");
    return order.includes(child) ? child : ".";
  }

  function exceptionFor({ file, target }: Import): string | undefined {
    return foldersBetween(folder, file)
      .map((owner) => rulesOf(owner).exceptions?.[fromHere(target)])
      .find((reason) => reason !== undefined);
  }

  function fromHere(file: string): string {
    return relative(folder, file);
  }
});

test(`at most ${MAX_EXCEPTIONS} exceptions, each of them used`, () => {
  const declared = sources
    .flatMap((src) => [src, ...foldersIn(src)])
    .flatMap((owner) => Object.keys(rulesOf(owner).exceptions ?? {}).map((target) => ({ owner, target })));
  const unused = declared.filter(
    ({ owner, target }) =>
      !filesIn(owner).some((file) =>
        importsOf(file).some((imported) => ordered.some((folder) => join(folder, target) === imported)),
      ),
  );
  expect(unused.map(({ owner, target }) => `${fromRoot(owner)}: ${target}`)).toEqual([]);
  expect(declared.length).toBeLessThanOrEqual(MAX_EXCEPTIONS);
});

interface Import {
  readonly file: string;
  readonly target: string;
}

function rulesOf(folder: string): FolderRules {
  const file = join(folder, "folders.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

function orderedFolders(src: string): readonly string[] {
  return [src, ...foldersIn(src)].filter((folder) => rulesOf(folder).order !== undefined);
}

function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(isSource)
    .map((file) => join(folder, file));
}

function isSource(file: string): boolean {
  return /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file);
}

function importsOf(file: string): readonly string[] {
  return [...readFileSync(file, "utf8").matchAll(IMPORT)].map(([, path = ""]) => join(dirname(file), path));
}

/** From the file's own, up to the ordered one. */
function foldersBetween(ordered: string, file: string): readonly string[] {
  const parts = relative(ordered, dirname(file)).split("/").filter(Boolean);
  return parts.map((_, index) => join(ordered, ...parts.slice(0, index + 1)));
}

function hasFolders(src: string): boolean {
  return readdirSync(src, { withFileTypes: true }).some((entry) => entry.isDirectory());
}

function fromRoot(path: string): string {
  return relative(root, path);
}
