import { digest, type JsonObject } from "../json.ts";

/** The parts of a definition that tell a model, a user or a client what the tool is. */
const PARTS = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"] as const;

/** How a tool differs from what was accepted. */
export interface ToolChange {
  /** The accepted definition; undefined for a new tool. */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject;
}

/** Picks those parts. A build number in `_meta` does not make another tool. */
export function partsOf(definition: JsonObject): JsonObject {
  return Object.fromEntries(
    PARTS.flatMap((part) => (definition[part] == null ? [] : [[part, definition[part]]])),
  );
}

export function isSameDefinition(one: JsonObject, other: JsonObject): boolean {
  return digest(partsOf(one)) === digest(partsOf(other));
}

const MAX_LINES = 60;

/** The change as lines that begin with - or +, part by part. */
export function changeText({ before = {}, after }: ToolChange): string {
  const lines = PARTS.flatMap((part) => {
    const [was, is] = [linesOf(before[part]), linesOf(after[part])];
    if (was.join("\n") === is.join("\n")) return [];
    const isKept = new Set(was);
    const stays = new Set(is);
    return [
      `${part}:`,
      ...was.filter((line) => !stays.has(line)).map((line) => `- ${line}`),
      ...is.filter((line) => !isKept.has(line)).map((line) => `+ ${line}`),
    ];
  });
  const more = lines.length - MAX_LINES;
  return [...lines.slice(0, MAX_LINES), ...(more > 0 ? [`… and ${more} more lines`] : [])].join("\n");
}

function linesOf(value: unknown): readonly string[] {
  if (value == null) return [];
  return (typeof value === "string" ? value : JSON.stringify(value, null, 2)).split("\n");
}
