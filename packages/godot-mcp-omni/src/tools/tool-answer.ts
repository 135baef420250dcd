import type { Failure, Outcome } from "@toolpact/contract";
import type { OkNotes } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import type { DriverAnswer } from "../drivers/ask.ts";
import type { GodotCode, Result } from "../errors.ts";
import type { Driver } from "../operations/driver.ts";
import type { ProjectPath } from "../project/project-path.ts";

/** The outcome of an action of a tool. */
export type ToolAnswer<T extends object, Code extends GodotCode = GodotCode> = Outcome<
  T,
  Failure<Code>,
  OkNotes
>;

/** The driver that did it, for the notes of an answer. */
export function executedBy({ mode, version }: Driver): NonNullable<OkNotes["execution"]> {
  return { mode, ...(version !== undefined && { godot: version }) };
}

/** Adds a summary to the answer of a driver. */
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

/** The notes of an edit: the driver that did it, the file it changed, and its warnings. */
export function editNotes(
  kind: string,
  { absolute, res }: Pick<ProjectPath, "absolute" | "res">,
  { driver, warnings, bytes }: { driver: Driver; warnings: readonly string[]; bytes?: number },
): Pick<OkNotes, "execution" | "files" | "warnings"> {
  return {
    execution: executedBy(driver),
    files: [{ kind, pathAbs: absolute, resPath: res, ...(bytes !== undefined && { bytes }) }],
    ...(warnings.length > 0 && { warnings }),
  };
}
