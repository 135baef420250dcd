import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { visible, visibleJson } from "../guards/shown-text.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { maskSecrets } from "../redact.ts";
import { lineDifference } from "./line-difference.ts";

/** A part of a call as a person reads it. All arguments together are the whole call. */
export interface CallPart {
  readonly name: string;
  /** A difference follows from arguments that are also shown. */
  readonly kind: "value" | "lines" | "json" | "difference";
  readonly text: string;
}

/** The arguments, one after the other: texts as lines, values as JSON. */
export function argumentParts(args: JsonObject): readonly CallPart[] {
  return Object.entries(args).map(([name, value = null]) => ({ name: visible(name), ...valuePart(value) }));
}

/**
 * The same, after the change of a file that follows from them. `readsFiles` is false if the server has other files than this
 * machine.
 */
export async function callParts(args: JsonObject, readsFiles: boolean): Promise<readonly CallPart[]> {
  const change = editPart(args) ?? (readsFiles ? await writePart(args) : undefined);
  return [...(change === undefined ? [] : [change]), ...argumentParts(args)];
}

/** Parts as text. Lines of the content are marked: none can pass for a line of the gate. */
export function partsText(parts: readonly CallPart[]): string {
  return parts
    .flatMap(({ name, kind, text }) =>
      kind === "value" ? [`${name}: ${text}`] : [`${name}:`, text.replaceAll(/^/gm, "│ ")],
    )
    .join("\n");
}

function valuePart(value: Json): Omit<CallPart, "name"> {
  const isLines = typeof value === "string" && value.includes("\n");
  const text = maskSecrets(isLines ? visible(value) : visibleJson(value));
  if (isLines) return { kind: "lines", text };
  return { kind: text.includes("\n") ? "json" : "value", text };
}

const PATH = ["path", "file_path", "filePath", "file", "filename"] as const;
export const CONTENT = ["content", "contents", "file_text", "text"] as const;
export const OLD = ["oldText", "old_text", "old_string", "old_str", "oldString"] as const;
export const NEW = ["newText", "new_text", "new_string", "new_str", "newString"] as const;

/** Replacements of text, which say themselves what changes. */
function editPart(args: JsonObject): CallPart | undefined {
  const edits = Array.isArray(args.edits) ? args.edits.filter(isJsonObject) : [args];
  const differences = edits.map((edit) => {
    const [was, is] = [textIn(edit, OLD), textIn(edit, NEW)];
    return was === undefined || is === undefined ? undefined : lineDifference(was, is);
  });
  if (differences.length === 0 || differences.includes(undefined)) return undefined;
  return difference("Change", differences.join("\n…\n"));
}

/** A file that gets another content. Only a call with a path and a content is known to replace it. */
async function writePart(args: JsonObject): Promise<CallPart | undefined> {
  const [path, content] = [textIn(args, PATH), textIn(args, CONTENT)];
  if (path === undefined || content === undefined || Object.keys(args).length !== 2) return undefined;
  if (!isAbsolute(path)) return undefined;
  const before = await fileText(path);
  if (before === undefined) return undefined;
  return difference(
    `Compared with the file on this machine`,
    lineDifference(before, content) ?? "No change.",
  );
}

function difference(name: string, text: string): CallPart {
  return { name, kind: "difference", text: maskSecrets(visible(text)) };
}

function textIn(args: JsonObject, names: readonly string[]): string | undefined {
  const found = names.map((name) => args[name]).find((value) => typeof value === "string");
  return typeof found === "string" ? found : undefined;
}

const MAX_BYTES = 256 * 1_024;
const NON_BLOCKING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The text of an ordinary file that is not large; undefined if there is none. The path is the agent's choice. */
async function fileText(path: string): Promise<string | undefined> {
  // Opening a pipe would wait for its other end.
  const file = await open(path, NON_BLOCKING).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat().then((found) => (found.isFile() ? found : { size: MAX_BYTES + 1 }));
    if (size > MAX_BYTES) return undefined;
    const text = await file.readFile("utf8");
    return text.includes("\0") ? undefined : text;
  } catch {
    // Such as a directory, or a file that is being replaced: the arguments are shown in any case.
    return undefined;
  } finally {
    await file.close();
  }
}
