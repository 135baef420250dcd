import type { Failure, OkNotes, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import type { DriverAnswer } from "../drivers/ask.ts";
import type { GodotCode, Result } from "../errors.ts";
import type { Driver } from "../operations/driver.ts";

/** What an action of a tool returns. */
export type ToolAnswer<T extends object, Code extends GodotCode = GodotCode> = Outcome<
  T,
  Failure<Code>,
  OkNotes
>;

/** The driver that did it, for the notes of an answer. */
export function executedBy({ mode, version }: Driver): NonNullable<OkNotes["execution"]> {
  return { mode, ...(version !== undefined && { godot: version }) };
}

/** What a driver answered, with a summary of it. */
export function answerOf<T extends object, Code extends GodotCode>(
  read: Result<DriverAnswer<T>, Code>,
  summary: (value: T) => string,
): ToolAnswer<T, Code> {
  if (!read.ok) return read;
  const { value, mode, warnings } = read.value;
  return ok(value, {
    summary: summary(value),
    execution: { mode },
    ...(warnings.length > 0 && { warnings }),
  });
}
