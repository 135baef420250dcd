import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { failed, type Outcome, ok } from "@toolpact/outcome";

/** The bundle and the sources are both one folder below the package root. */
const TEMPLATE = fileURLToPath(new URL("../template", import.meta.url));

/** npm leaves files with these names out of a package. */
const RENAMED: Readonly<Record<string, string>> = {
  gitignore: ".gitignore",
  "package.json.txt": "package.json",
};

/** Names that npm and the MCP registry both accept. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/;

export interface Created {
  readonly name: string;
  readonly files: readonly string[];
}

export interface NotCreated {
  readonly message: string;
  readonly fix: string;
}

/** Writes the template into a new or empty folder. `versions` are those of its dependencies. */
export async function createProject(
  folder: string,
  versions: Readonly<Record<string, string>>,
): Promise<Outcome<Created, NotCreated>> {
  const target = resolve(folder);
  const name = basename(target);
  if (!NAME.test(name))
    return failed({
      message: `“${name}” cannot be the name of a package.`,
      fix: "Use lower-case letters, digits, dots, dashes and underscores, such as my-server.",
    });
  const prepared = await prepare(target);
  if (!prepared.ok) return prepared;
  const paths = (await readdir(TEMPLATE, { recursive: true, withFileTypes: true }))
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name).slice(TEMPLATE.length + 1) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const files: string[] = [];
  // A folder sorts before its content.
  for (const { entry, path } of paths) {
    if (entry.isDirectory()) await mkdir(join(target, path));
    else {
      const own = join(dirname(path), RENAMED[basename(path)] ?? basename(path));
      const text = await readFile(join(TEMPLATE, path), "utf8");
      await writeFile(join(target, own), filledIn(text, name, versions));
      files.push(own);
    }
  }
  return ok({ name, files });
}

async function prepare(target: string): Promise<Outcome<void, NotCreated>> {
  try {
    await mkdir(target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EEXIST")
      return failed({
        message: `${target} cannot be made (${code}).`,
        fix: "Name a folder inside one that exists and that you may write to.",
      });
  }
  const content = await readdir(target).catch(() => undefined);
  return content?.length === 0
    ? ok(undefined)
    : failed({ message: `${target} is not an empty folder.`, fix: "Name a new one." });
}

/** Replaces `my-server`, the template's name, and `{{package}}`, the version of a package. */
function filledIn(text: string, name: string, versions: Readonly<Record<string, string>>): string {
  return text
    .replaceAll("my-server", name)
    .replaceAll(/\{\{(.+?)\}\}/g, (whole, other: string) => versions[other] ?? whole);
}
