import { styleText } from "node:util";
import type { Change, OperationName, SpecDiff } from "./spec-diff.ts";

/** A diff for people: a line for each operation, a line below it for each change. */
export function specDiffText(diff: SpecDiff, isColored: boolean): string {
  const paint = (color: "green" | "red" | "yellow", text: string) =>
    isColored ? styleText(color, text, { validateStream: false }) : text;
  const { added, removed, changed } = diff;
  return [
    `${added.length} added, ${removed.length} removed, ${changed.length} changed`,
    ...added.map((op) => paint("green", `+ ${title(op)}`)),
    ...removed.map((op) => paint("red", `- ${title(op)}`)),
    ...changed.flatMap((op) => [
      paint("yellow", `~ ${title(op)}`),
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

/** Lists say what came and went, since whole lists of fields are too long to read. */
function difference(before: unknown, after: unknown): string {
  if (!isFlat(before) || !isFlat(after)) return `${shown(before)} → ${shown(after)}`;
  const came = after.filter((value) => !before.includes(value)).map((value) => `+${value}`);
  const went = before.filter((value) => !after.includes(value)).map((value) => `-${value}`);
  return [...came, ...went].join(" ") || "in another order";
}

function isFlat(value: unknown): value is readonly (string | number)[] {
  return (
    Array.isArray(value) && value.every((entry) => typeof entry === "string" || typeof entry === "number")
  );
}

function shown(value: unknown): string {
  return value === undefined ? "none" : JSON.stringify(value);
}
