import { isDeepStrictEqual } from "node:util";
import { failed, type Json, type Outcome, ok } from "@toolpact/contract";
import { parse, TomlError } from "smol-toml";
import { type ConfigKey, configKeys } from "./keys.ts";

/** A value for a key, by the name of the key: `x_api.client_id`. */
export type KeyValues = Readonly<Record<string, Json>>;

/** A configuration file with every key and its default as comments, so that nothing in it changes anything. */
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

/** The default, or a value of the right kind. */
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
 * The text with these keys set and all else kept, comments too. A key takes the place of its own line, or of the
 * comment that shows its default. Fails if the text is written so that this would change anything else.
 */
export function withKeys(text: string, values: KeyValues): Outcome<string, string> {
  const before = parsed(text);
  if (before === undefined) return failed("The file is not TOML.");
  let content = text;
  const wanted = structuredClone(before);
  for (const [name, value] of Object.entries(values)) {
    const at = name.indexOf(".");
    const [section, key] = at === -1 ? ["", name] : [name.slice(0, at), name.slice(at + 1)];
    const table = section === "" ? wanted : (wanted[section] ?? {});
    if (typeof table !== "object" || Array.isArray(table)) return failed(`${section} is not a table there.`);
    if (section !== "") wanted[section] = table;
    if (isDeepStrictEqual((table as Table)[key], value)) continue;
    (table as Table)[key] = value;
    content = withLine(content, section, key, assignment(key, value));
  }
  return isDeepStrictEqual(parsed(content), wanted)
    ? ok(content)
    : failed("The file is written in a way that cannot be changed without losing something.");
}

type Table = Record<string, unknown>;

function parsed(text: string): Table | undefined {
  try {
    // The parser's objects have no prototype; a clone can be compared with our own.
    return structuredClone(parse(text)) as Table;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return undefined;
  }
}

function withLine(text: string, section: string, key: string, line: string): string {
  const lines = text.split("\n");
  const header = section === "" ? -1 : lines.findIndex((each) => headerOf(each) === section);
  if (section !== "" && header === -1) return `${text.trimEnd()}\n\n[${section}]\n${line}\n`;
  const next = lines.findIndex((each, i) => i > header && headerOf(each) !== undefined);
  const end = next === -1 ? lines.length : next;
  const place = (pattern: RegExp) =>
    lines.findIndex((each, i) => i > header && i < end && pattern.test(each));
  const own = place(new RegExp(`^\\s*${key}\\s*=`));
  const shown = own === -1 ? place(new RegExp(`^#${key} =`)) : own;
  return (shown === -1 ? lines.toSpliced(header + 1, 0, line) : lines.with(shown, line)).join("\n");
}

function headerOf(line: string): string | undefined {
  return /^\s*\[+\s*([^\]]+?)\s*\]+\s*(#.*)?$/.exec(line)?.[1];
}

function assignment(key: string, value: Json): string {
  return `${key} = ${inline(value)}`;
}

/** A value in one line. Texts, numbers and switches are written as in JSON. */
function inline(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => assignment(key, member ?? ""));
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
