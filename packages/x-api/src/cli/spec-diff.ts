import { type Paint, paint, type Terminal } from "@toolpact/cli";
import type { Field, Operation, ValueRule } from "../operations/index.ts";

interface SpecDiff {
  readonly added: readonly OperationName[];
  readonly removed: readonly OperationName[];
  readonly changed: readonly ChangedOperation[];
}

interface OperationName {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

export interface ChangedOperation extends OperationName {
  readonly changes: readonly Change[];
}

interface Change {
  readonly kind: "added" | "removed" | "changed";
  /** `query max_results`, `body reply.in_reply_to_tweet_id`, `auth`, `path`, … */
  readonly what: string;
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

/** By operation id. Limits and prices are not in X's specification. */
export function diffOperations(before: readonly Operation[], after: readonly Operation[]): SpecDiff {
  const old = new Map(before.map((op) => [op.id, op]));
  const young = new Map(after.map((op) => [op.id, op]));
  return {
    added: after.filter((op) => !old.has(op.id)).map(nameOf),
    removed: before.filter((op) => !young.has(op.id)).map(nameOf),
    changed: after.flatMap((op) => {
      const earlier = old.get(op.id);
      const changes = earlier === undefined ? [] : changesOf(earlier, op);
      return changes.length === 0 ? [] : [{ ...nameOf(op), changes }];
    }),
  };
}

export function isSame({ added, removed, changed }: SpecDiff): boolean {
  return added.length + removed.length + changed.length === 0;
}

function nameOf({ id, method, path }: Operation): OperationName {
  return { id, method, path };
}

function changesOf(before: Operation, after: Operation): Change[] {
  const old = partsOf(before);
  const young = partsOf(after);
  return [...new Set([...old.keys(), ...young.keys()])].flatMap((what): Change[] => {
    const was = old.get(what);
    const is = young.get(what);
    if (was === undefined) return [{ kind: "added", what }];
    if (is === undefined) return [{ kind: "removed", what }];
    const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
      (key) => !isEqual(was[key], is[key]),
    );
    return keys.length === 0
      ? []
      : [{ kind: "changed", what, before: pick(was, keys), after: pick(is, keys) }];
  });
}

type Part = Readonly<Record<string, unknown>>;

/** Names each part that can change. */
function partsOf(op: Operation): Map<string, Part> {
  const parts = new Map<string, Part>([
    ["operation", { method: op.method, path: op.path, host: op.host, tag: op.tag, streaming: op.streaming }],
    ["auth", { accepts: op.auth }],
    ["answer", { ...op.answer }],
  ]);
  for (const { name, in: place, ...rule } of op.params) parts.set(`${place} ${name}`, rule);
  if (op.body) {
    const { fields, ...rest } = op.body;
    parts.set("body", rest);
    addFields(parts, "body ", fields);
  }
  return parts;
}

function addFields(parts: Map<string, Part>, prefix: string, fields: readonly Field[]): void {
  for (const { name, ...rule } of fields) addRule(parts, `${prefix}${name}`, rule);
}

function addRule(parts: Map<string, Part>, at: string, { fields, items, ...rule }: ValueRule): void {
  parts.set(at, rule);
  if (fields) addFields(parts, `${at}.`, fields);
  if (items) addRule(parts, `${at}[]`, items);
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function pick(part: Part, keys: readonly string[]): Part {
  return Object.fromEntries(keys.map((key) => [key, part[key]]));
}

/** One line per operation, with its changes below. */
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

/** Whole lists of fields are too long to read. */
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
