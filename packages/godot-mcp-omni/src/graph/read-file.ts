import { constants, lstatSync, readFileSync } from "node:fs";
import type { Steps } from "../formats/document.ts";
import { extensionOf, type FileFacts, type FileReference, noFacts } from "./file-facts.ts";
import { lineEnds, readingScene } from "./scene-facts.ts";
import { besides, readingScript } from "./script-facts.ts";
import { settingsFacts } from "./settings-facts.ts";

/** A larger file is listed, and not read. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Does not follow a link that has replaced the file since it was listed, and does not wait for a pipe. */
const OPEN = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Identifies a version of a file. */
export interface FileState {
  readonly modified: number;
  readonly changed: number;
  readonly bytes: number;
  readonly inode: number;
  /** The time of the check. A file that changed shortly before may change again with the same time. */
  readonly seen: number;
}

const FRESH_MS = 50;

/** Undefined if it is not a file. Returns the previous state if nothing changed since. */
export function stateOf(
  absolute: string,
  before: FileState | undefined,
  now: () => number,
): FileState | undefined {
  const found = lstatSync(absolute, NO_THROW);
  if (found === undefined || !found.isFile()) return undefined;
  if (
    before !== undefined &&
    before.modified === found.mtimeMs &&
    before.changed === found.ctimeMs &&
    before.bytes === found.size &&
    before.inode === found.ino &&
    before.seen - Math.max(found.mtimeMs, found.ctimeMs) > FRESH_MS
  )
    return before;
  return {
    modified: found.mtimeMs,
    changed: found.ctimeMs,
    bytes: found.size,
    inode: found.ino,
    seen: now(),
  };
}

const NO_THROW = { throwIfNoEntry: false } as const;

/** The text of a project file, or a problem if there is none. */
export function textOf(
  absolute: string,
  bytes: number,
): { readonly text: string } | { readonly problem: string } {
  if (bytes > MAX_BYTES)
    return { problem: `It is larger than ${MAX_BYTES / 1024 / 1024} MB and was not read.` };
  try {
    const text = readFileSync(absolute, { encoding: "utf8", flag: OPEN });
    return text.includes("\0") ? { problem: "It is not a text file." } : { text };
  } catch (error) {
    return { problem: `It could not be read (${(error as NodeJS.ErrnoException).code ?? "unknown"}).` };
  }
}

const TEXTS = new Set(
  "tscn tres gd cs gdshader gdshaderinc godot cfg gdextension json gltf uid import".split(" "),
);

export function isRead(path: string): boolean {
  return TEXTS.has(extensionOf(path)) || /\.(?:scn|res)$/.test(path);
}

export function* readingFile(path: string, absolute: string, bytes: number): Steps<FileFacts> {
  const extension = extensionOf(path);
  if (extension === "scn" || extension === "res") return binaryFacts(path, absolute, bytes);
  if (!TEXTS.has(extension)) return noFacts(path, bytes);
  const read = textOf(absolute, bytes);
  if ("problem" in read) return noFacts(path, bytes, read.problem);
  const { text } = read;
  const nothing = noFacts(path, bytes);
  switch (extension) {
    case "tscn":
    case "tres":
      return { ...nothing, ...(yield* readingScene(text, path)) };
    case "gd":
      return { ...nothing, ...(yield* readingScript(text, path)) };
    case "uid":
      return { ...nothing, uid: text.trim() };
    case "import":
      return { ...nothing, uid: /^uid="([^"\n]*)"/m.exec(text)?.[1] };
    case "godot":
    case "cfg":
      return settingsFacts(text, path, bytes);
    case "gdshader":
    case "gdshaderinc":
      return { ...nothing, references: mentions(text, path, /#include\s+"([^"\n]{1,1000})"/g, "include") };
    case "gltf":
      return { ...nothing, references: mentions(text, path, /"uri"\s*:\s*"([^":\n]{1,1000})"/g, "include") };
    default:
      return {
        ...nothing,
        references: mentions(text, path, /"((?:res|uid):\/\/[^"\\\n]{1,1000})"/g, "text"),
      };
  }
}

function mentions(text: string, path: string, pattern: RegExp, kind: FileReference["kind"]): FileReference[] {
  let line = 1;
  let at = 0;
  return Array.from(text.matchAll(pattern), (match) => {
    line += lineEnds(text.slice(at, match.index));
    at = match.index;
    const [, to = ""] = match;
    return { kind, to: to.includes("://") ? to : besides(to, path), line };
  });
}

/** A binary resource contains the paths of the files it uses as plain text, unless it is compressed. */
function binaryFacts(path: string, absolute: string, bytes: number): FileFacts {
  const unknown = (problem: string) => noFacts(path, bytes, problem);
  if (bytes > MAX_BYTES) return unknown(`It is larger than ${MAX_BYTES / 1024 / 1024} MB and was not read.`);
  let text: string;
  try {
    text = readFileSync(absolute, { encoding: "latin1", flag: OPEN });
  } catch (error) {
    return unknown(`It could not be read (${(error as NodeJS.ErrnoException).code ?? "unknown"}).`);
  }
  if (text.startsWith("RSCC")) return unknown("It is compressed, so what it uses is not known.");
  const found = new Set(Array.from(text.matchAll(/res:\/\/[^\p{Cc}"]{1,1000}/gu), ([to]) => to));
  return { ...noFacts(path, bytes), references: [...found].map((to) => ({ kind: "resource", to, line: 1 })) };
}
