import { copyFile, mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { isJsonObject, type JsonObject } from "../json.ts";
import { setJsonEntry } from "./edit-json.ts";
import type { ClientMachine, Launch, McpClient } from "./mcp-clients.ts";

/** A planned change of a client's configuration file. */
export interface ClientChange {
  readonly client: McpClient;
  readonly file: string;
  readonly change: "create" | "add" | "replace" | "none";
  /** The content of the file now; undefined if there is none. */
  readonly before: string | undefined;
  /** The added part, in the format of the file, to show to the person. */
  readonly snippet: string;
  /** The content of the file after the change. */
  readonly content: string;
}

/** Plans the change, or says why the file cannot be changed. */
export async function planClientChange(
  client: McpClient,
  name: string,
  launch: Launch,
  machine: ClientMachine,
): Promise<Outcome<ClientChange, string>> {
  const file = client.file(machine);
  const entry = client.entry(launch);
  if (entry === undefined) return failed(`${client.title} takes only servers that it starts itself.`);
  const before = await textOf(file);
  if (!before.ok) return before;
  const planned =
    client.format === "json"
      ? setJsonEntry(before.value ?? "", client.member, name, entry)
      : await changeToml(before.value ?? "", client.member, name, entry);
  if (!planned.ok)
    return failed(`${file} ${planned.failure} Add this by hand:\n${snippetOf(client, name, entry)}`);
  const { content, hadEntry } = planned.value;
  const change =
    before.value === undefined ? "create" : content === before.value ? "none" : hadEntry ? "replace" : "add";
  return ok({
    client,
    file,
    change,
    before: before.value,
    snippet: snippetOf(client, name, entry),
    content,
  });
}

/** Writes the file atomically and keeps the old one as `.bak`. Symbolic links are followed, so that they stay links. */
export async function writeClientChange({
  file,
  change,
  before,
  content,
}: ClientChange): Promise<Outcome<undefined, string>> {
  if (change === "none") return ok(undefined);
  // The client may have changed the file while the person decided.
  const now = await textOf(file);
  if (!now.ok) return now;
  if (now.value !== before)
    return failed(`${file} has changed meanwhile, so it was left alone. Run this again.`);
  const isNew = change === "create";
  try {
    if (isNew) await makeFolder(dirname(file));
    const real = isNew ? file : await realpath(file);
    const mode = isNew ? 0o600 : (await stat(real)).mode & 0o777;
    if (!isNew) await copyFile(real, `${real}.bak`);
    await replaceFile(real, content, mode);
    return ok(undefined);
  } catch (error) {
    // File operations reject with Node's error codes.
    const { code } = error as NodeJS.ErrnoException;
    return failed(
      `${file} cannot be written (${code ?? "unknown error"}), so it was left alone. Mend that, then run this again.`,
    );
  }
}

/** Makes a folder and its parents. Node's `recursive` loops forever if an existing folder answers ENOENT. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT") throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder);
  }
}

async function replaceFile(file: string, content: string, mode: number): Promise<void> {
  const next = `${file}.new`;
  try {
    await writeFile(next, content, { mode });
    await rename(next, file);
  } catch (error) {
    // The first error is the one to report.
    await rm(next, { force: true }).catch(() => {});
    throw error;
  }
}

async function textOf(file: string): Promise<Outcome<string | undefined, string>> {
  try {
    return ok(await readFile(file, "utf8"));
  } catch (error) {
    // Reading a file rejects with Node's error codes.
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? ok(undefined) : failed(`${file} cannot be read (${code ?? "unknown error"}).`);
  }
}

interface Changed {
  readonly content: string;
  readonly hadEntry: boolean;
}

/** Replaces only the server's own tables, and only if the result parses to the expected value. */
async function changeToml(
  before: string,
  member: string,
  name: string,
  entry: JsonObject,
): Promise<Outcome<Changed, string>> {
  const was = await tomlIn(before);
  if (was === undefined) return failed("is not TOML, so it was left alone.");
  const servers = was[member] ?? {};
  const wanted = isJsonObject(servers) ? { ...was, [member]: { ...servers, [name]: entry } } : undefined;
  if (isDeepStrictEqual(was, wanted)) return ok({ content: before, hadEntry: true });
  const own = `${member}.${tomlKey(name)}`;
  const newline = before.includes("\r\n") ? "\r\n" : "\n";
  const table = tomlTable(own, entry).replaceAll("\n", newline);
  const { kept, at } = withoutTable(before, own);
  const content =
    at === undefined
      ? `${before}${before === "" ? "" : before.endsWith("\n") ? newline : newline.repeat(2)}${table}`
      : kept.slice(0, at) + table + kept.slice(at);
  if (!isDeepStrictEqual(await tomlIn(content), wanted))
    return failed(`does not hold ${name} as a table of its own, so it was left alone.`);
  return ok({ content, hadEntry: at !== undefined });
}

async function tomlIn(text: string): Promise<JsonObject | undefined> {
  const { parse } = await import("smol-toml");
  try {
    // The parser's objects have no prototype; a clone can be compared with our own. Dates are only compared.
    return structuredClone(parse(text)) as JsonObject;
  } catch {
    return undefined;
  }
}

/**
 * The text without this table and its subtables, and the place where the first of them was. Comments and empty lines
 * in front of the next table belong to that table and stay.
 */
function withoutTable(text: string, own: string): { readonly kept: string; readonly at: number | undefined } {
  let kept = "";
  let waiting = "";
  let at: number | undefined;
  let isInside = false;
  for (const line of text.split(/(?<=\n)/)) {
    const header = /^\s*\[+\s*([^\]]+?)\s*\]+\s*(#.*)?$/.exec(line)?.[1];
    if (header !== undefined) {
      const isOwn = header === own || header.startsWith(`${own}.`);
      // Between two tables of its own, nothing is anybody else's.
      if (!(isOwn && isInside)) kept += waiting;
      waiting = "";
      isInside = isOwn;
      if (isOwn) at ??= kept.length;
    }
    if (!isInside) kept += line;
    else if (/^\s*(#|$)/.test(line)) waiting += line;
    else waiting = "";
  }
  return { kept: kept + waiting, at };
}

function tomlTable(path: string, table: JsonObject): string {
  const members = Object.entries(table).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  const plain = members.filter(([, value]) => !isJsonObject(value));
  const tables = members.filter(([, value]) => isJsonObject(value));
  return [
    `[${path}]\n`,
    ...plain.map(([key, value]) => `${tomlKey(key)} = ${JSON.stringify(value)}\n`),
    // Only objects are left by the filter above.
    ...tables.map(([key, value]) => `\n${tomlTable(`${path}.${tomlKey(key)}`, value as JsonObject)}`),
  ].join("");
}

function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

function snippetOf({ format, member }: McpClient, name: string, entry: JsonObject): string {
  return format === "json"
    ? `${JSON.stringify({ [member]: { [name]: entry } }, null, 2)}\n`
    : tomlTable(`${member}.${tomlKey(name)}`, entry);
}
