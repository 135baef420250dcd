import type { JsonObject } from "@toolpact/contract";
import { failed, type Outcome, ok } from "@toolpact/outcome";

/** Arguments in the form in which a person edits them: the text if there is one, otherwise JSON. */
export interface Editable {
  readonly text: string;
  /** Extension of the file in which it is edited. */
  readonly ending: "txt" | "json";
}

export function toEditable(args: JsonObject): Editable {
  return typeof args.text === "string"
    ? { text: args.text, ending: "txt" }
    : { text: `${JSON.stringify(args, null, 2)}\n`, ending: "json" };
}

/** The arguments with the person's changes. */
export function applyEdit(args: JsonObject, text: string): Outcome<JsonObject, string> {
  if (typeof args.text === "string") {
    // Editors add a line break at the end of a file.
    const typed = args.text.endsWith("\n") ? text : text.replace(/\r?\n$/, "");
    return ok({ ...args, text: typed });
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return ok(value as JsonObject);
  } catch {
    // Reported below.
  }
  return failed("The edited text is not a JSON object. Nothing was changed.");
}
