import { type Paint, paint, type Terminal } from "@toolpact/cli";
import type { Change, OperationName, SpecDiff } from "./spec-diff.ts";

/** Formats a diff: a line for each operation, and below it a line for each change. */
export function specDiffText(diff: SpecDiff, terminal: Terminal): string {
  const line = (style: Paint, text: string) => paint(terminal, style, text);
  const { added, removed, changed } = diff;
  return [
    `${added.length} added, ${removed.length} removed, ${changed.length} changed`,
    ...added.map((op) => line("green", `+ ${title(op)}`)),
    ...removed.map((op) => line("red", `- ${title(op)}`)),
    ...changed.flatMap((op) => [
      line("yellow", `~ ${title(op)}`),
      ...op.changes.flatMap((change) => changeLines(change).map((line) => `    ${line}`)),
    ]),
  ].join("\n");
}

function title({ id, method, path }: OperationName): string {
  return `${method} ${path}  ${id}`;
}

function changeLines({ kind, what, before = {}, after = {} }: Change): string[] {
  if (kind !== "changed") return [`${kind === "added" ? "+" : "-"} ${what}`];
  return Object.keys({ ...before, ...after }).map(
    (key) => `~ ${what}: ${key} ${difference(before[key], after[key])}`,
  );
}

/** For lists, only the added and removed values, because whole lists of fields are too long to read. */
function difference(before: unknown, after: unknown): string {
  if (!isFlat(before) || !isFlat(after)) return `${format(before)} → ${format(after)}`;
  const added = after.filter((value) => !before.includes(value)).map((value) => `+${value}`);
  const removed = before.filter((value) => !after.includes(value)).map((value) => `-${value}`);
  return [...added, ...removed].join(" ") || "in another order";
}

function isFlat(value: unknown): value is readonly (string | number)[] {
  return (
    Array.isArray(value) && value.every((entry) => typeof entry === "string" || typeof entry === "number")
  );
}

function format(value: unknown): string {
  return value === undefined ? "none" : JSON.stringify(value);
}
