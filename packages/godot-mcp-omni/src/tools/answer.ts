import type { Failure, JsonObject, OkNotes, Outcome, Success } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import type { Driver } from "../drivers/driver.ts";
import type { GodotCode } from "../errors.ts";

/** What an action of a tool returns. */
export type Answer<T extends object = JsonObject> = Outcome<T, Failure<GodotCode>, OkNotes>;

/** An answer that tells something. Whatever is told is JSON; interfaces only lack the index that says so. */
export function told(value: object, notes: OkNotes): Success<JsonObject, OkNotes> {
  return ok(value as JsonObject, notes);
}

/** The driver that did it, for the notes of an answer. */
export function executedBy({ mode, version }: Driver): NonNullable<OkNotes["execution"]> {
  return { mode, ...(version !== undefined && { godot: version }) };
}
