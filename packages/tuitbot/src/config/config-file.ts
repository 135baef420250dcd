import { isDeepStrictEqual } from "node:util";
import { failed, type Json, type JsonObject, type Outcome, ok } from "@toolpact/contract";
import { isJsonObject } from "@toolpact/contract/internal";
import { parse, TomlError } from "smol-toml";
import { type ConfigKey, configKeys } from "./keys.ts";

/** By key, such as `x_api.client_id`. */
export type KeyValues = Readonly<Record<string, Json>>;

/** Every key and its default as a comment. */
export function commentedConfig(): string {
  const keys = configKeys();
  const sections = [...new Set(keys.map(({ section }) => section))];
  return `${[
    "# Configuration of tuitbot, in TOML.",
    "# Each line such as #key = value shows a default. Remove the # and change the value to set the key.",
    "# `tuitbot config validate` checks the file; docs/configuration.md explains every key.",
    ...sections.flatMap((section) => [
      "",
      ...(section === "" ? [] : [`[${section}]`]),
      ...keys.filter((key) => key.section === section).flatMap(commentedKey),
    ]),
  ].join("\n")}\n`;
}

function commentedKey(key: ConfigKey): readonly string[] {
  const { describe, choices, isSecret, example } = key;
  const about = [
    describe,
    choices.length > 0 ? `One of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}.` : "",
    isSecret ? "Secret." : "",
  ].filter((part) => part !== "");
  return [
    `# ${about.join(" ")}`,
    ...(example === ""
      ? [`#${assignment(key.key, placeholder(key))}`]
      : example.trimEnd().split("\n").map(commented)),
  ];
}

function commented(line: string): string {
  return line === "" ? "#" : `#${line}`;
}

function placeholder({ fallback, kind, choices }: ConfigKey): Json {
  if (fallback !== undefined) return fallback;
  switch (kind) {
    case "text":
      return choices[0] ?? "…";
    case "integer":
    case "number":
      return 0;
    case "switch":
      return false;
    case "texts":
      return [];
    case "json":
      return {};
  }
}

/**
 * Sets keys, or removes them for null, and keeps everything else. A key replaces its lines, or its commented
 * default; with an account, in its table. Fails if the layout prevents this.
 */
export function withKeys(text: string, values: KeyValues, account?: string): Outcome<string, string> {
  const before = parsed(text);
  if (before === undefined) return failed("The file is not TOML.");
  let content = text;
  const wanted = structuredClone(before);
  for (const [name, value] of Object.entries(values)) {
    const path = [...(account === undefined ? [] : ["accounts", account]), ...name.split(".")];
    const key = path.at(-1) ?? "";
    const section = path.slice(0, -1);
    const old = section.reduce<unknown>((table, part) => Object(table)[part], wanted);
    if (isDeepStrictEqual(Object(old)[key] ?? null, value)) continue;
    const table = tableAt(wanted, section);
    if (table === undefined) return failed(`${section.join(".")} is not a table there.`);
    const isList = hasTables(content, path, value);
    if (value === null || (isList && !isTables(value))) delete table[key];
    else table[key] = value;
    content = isList
      ? withTables(content, path.join("."), value)
      : withValue(content, section.join("."), key, value);
  }
  return isDeepStrictEqual(withoutEmpty(parsed(content) ?? {}), withoutEmpty(wanted))
    ? ok(content)
    : failed("The file is written in a way that cannot be changed without losing something.");
}

type Table = Record<string, unknown>;

/** Without keys they have no effect. */
function withoutEmpty(table: Table): Table {
  return Object.fromEntries(
    Object.entries(table)
      .map(([key, value]) => [key, isJsonObject(value) ? withoutEmpty(value) : value] as const)
      .filter(([, value]) => !isJsonObject(value) || Object.keys(value).length > 0),
  );
}

/** Adds missing tables. */
function tableAt(root: Table, path: readonly string[]): Table | undefined {
  return path.reduce<Table | undefined>((table, part) => {
    if (table === undefined) return undefined;
    table[part] ??= {};
    const found = table[part];
    return typeof found === "object" && !Array.isArray(found) ? (found as Table) : undefined;
  }, root);
}

function parsed(text: string): Table | undefined {
  try {
    // The parser's objects have no prototype, and a clone does.
    return structuredClone(parse(text)) as Table;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return undefined;
  }
}

function withValue(text: string, section: string, key: string, value: Json): string {
  const lines = text.split("\n");
  const header = section === "" ? -1 : lines.findIndex((each) => headerOf(each) === section);
  if (section !== "" && header === -1)
    return value === null ? text : `${text.trimEnd()}\n\n[${section}]\n${assignment(key, value)}\n`;
  const next = lines.findIndex((each, i) => i > header && headerOf(each) !== undefined);
  const end = next === -1 ? lines.length : next;
  return [
    ...lines.slice(0, header + 1),
    ...withLine(lines.slice(header + 1, end), key, value),
    ...lines.slice(end),
  ].join("\n");
}

/** Replaces the key's lines, and keeps their last comment. */
function withLine(lines: readonly string[], key: string, value: Json): readonly string[] {
  const own = lines.findIndex((each) => new RegExp(`^\\s*${key}\\s*=`).test(each));
  if (own === -1) {
    if (value === null) return lines;
    const shown = lines.findIndex((each) => each.startsWith(`#${key} =`));
    return lines.toSpliced(Math.max(shown, 0), shown === -1 ? 0 : 1, assignment(key, value));
  }
  const length = lines.slice(own).findIndex((_, i) => parsed(lines.slice(own, own + i + 1).join("\n"))) + 1;
  if (length === 0) return lines;
  const old = lines.slice(own, own + length);
  const comment = commentAt(old.at(-1) ?? "", old);
  return lines.toSpliced(
    own,
    length,
    ...(value === null ? [] : [`${/^\s*/.exec(old[0] ?? "")?.[0]}${assignment(key, value)}${comment}`]),
  );
}

/** With the space before it. */
function commentAt(last: string, lines: readonly string[]): string {
  const whole = parsed(lines.join("\n"));
  for (const { index } of last.matchAll(/\s*#/g)) {
    const without = [...lines.slice(0, -1), last.slice(0, index)].join("\n");
    if (isDeepStrictEqual(parsed(without), whole)) return last.slice(index);
  }
  return "";
}

/** Written as `[[section.key]]`, or should be. */
function hasTables(text: string, path: readonly string[], value: Json): boolean {
  const isHere = text.split("\n").some((line) => headerOf(line) === path.join(".") && /^\s*\[\[/.test(line));
  return (
    isHere ||
    (isTables(value) &&
      path.reduce<unknown>((table, part) => Object(table)[part], parsed(text)) === undefined)
  );
}

function isTables(value: Json): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isJsonObject);
}

/** Tables of the same name keep their lines, others are removed, and new ones follow. */
function withTables(text: string, name: string, value: Json): string {
  const wanted = isTables(value) ? value : [];
  const lines = text.split("\n");
  const starts = lines.flatMap((line, at) => (headerOf(line) === name ? [at] : []));
  const blocks = starts.map((start) => {
    const next = lines.findIndex((line, at) => at > start && headerOf(line) !== undefined);
    const end = lines
      .slice(start, next === -1 ? undefined : next)
      .findLastIndex((line) => !/^\s*(#|$)/.test(line));
    const body = lines.slice(start + 1, start + end + 1);
    return { start, body, table: parsed(body.join("\n")) ?? {} };
  });
  const fresh = wanted.filter((entry) => !blocks.some(({ table }) => table.name === entry.name));
  const kept = blocks.toReversed().reduce((all, { start, body, table }) => {
    const entry = wanted.find((one) => one.name === table.name);
    if (entry === undefined) return all.toSpliced(start, body.length + 1);
    const changed = [...new Set([...Object.keys(table), ...Object.keys(entry)])].filter(
      (key) => !isDeepStrictEqual(table[key], entry[key]),
    );
    const written = changed.reduce<readonly string[]>(
      (all, key) => withLine(all, key, entry[key] ?? null),
      body,
    );
    return all.toSpliced(start + 1, body.length, ...written);
  }, lines);
  const added = fresh.map((entry) =>
    [`[[${name}]]`, ...Object.entries(entry).map(([key, one]) => assignment(key, one ?? null))].join("\n"),
  );
  return added.length === 0 ? kept.join("\n") : `${[kept.join("\n").trimEnd(), ...added].join("\n\n")}\n`;
}

function headerOf(line: string): string | undefined {
  return /^\s*\[+\s*([^\]]+?)\s*\]+\s*(#.*)?$/.exec(line)?.[1];
}

function assignment(key: string, value: Json): string {
  return `${key} = ${inline(value)}`;
}

/** One line, as in JSON. */
function inline(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => assignment(key, member ?? ""));
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
