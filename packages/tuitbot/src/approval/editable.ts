import type { JsonObject } from "@toolpact/contract";
import { failed, type Outcome, ok } from "@toolpact/contract/outcome";

/** Arguments as a person edits them: the text itself where there is one, JSON otherwise. */
export interface Editable {
  readonly text: string;
  /** Of the file in which it is edited. */
  readonly ending: "txt" | "json";
}

export function editable(args: JsonObject): Editable {
  return typeof args.text === "string"
    ? { text: args.text, ending: "txt" }
    : { text: `${JSON.stringify(args, null, 2)}\n`, ending: "json" };
}

/** The arguments with what the person made of them. */
export function edited(args: JsonObject, text: string): Outcome<JsonObject, string> {
  if (typeof args.text === "string") {
    // Editors end a file with a line break that nobody typed.
    const typed = args.text.endsWith("\n") ? text : text.replace(/\r?\n$/, "");
    return ok({ ...args, text: typed });
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return ok(value as JsonObject);
  } catch {
    // Said below.
  }
  return failed("That is not a JSON object any more. Nothing was changed.");
}
