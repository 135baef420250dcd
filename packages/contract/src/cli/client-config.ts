import { copyFile, mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../json.ts";
import { failed, type Outcome, ok } from "../outcome.ts";
import type { ClientMachine, Launch, McpClient } from "./mcp-clients.ts";

/** What would be written into a client's configuration; nothing is written yet. */
export interface ClientChange {
  readonly client: McpClient;
  readonly file: string;
  readonly change: "create" | "add" | "replace" | "none";
  /** The whole file as it was. */
  readonly before: string | undefined;
  /** The part that is added, in the words of the file, to be shown to the person. */
  readonly snippet: string;
  /** The whole file as it would be. */
  readonly content: string;
}

/** Works out the change, or says why the file is left alone. */
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
      ? changeJson(before.value, client.member, name, entry)
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

/** Writes it in one step, keeping the file of before beside it. Links are followed, so that they stay links. */
export async function writeClientChange({
  file,
  change,
  before,
  content,
}: ClientChange): Promise<Outcome<undefined, string>> {
  if (change === "none") return ok(undefined);
  // Clients write their files too, and the person may have taken a while to agree.
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
    // Files fail with one of Node's own error codes.
    const { code } = error as NodeJS.ErrnoException;
    return failed(
      `${file} cannot be written (${code ?? "unknown error"}), so it was left alone. Mend that, then run this again.`,
    );
  }
}

/** With the folders above it. Node's own way goes on for ever where a folder that exists answers "no such file". */
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
    // What went wrong first is what the person must hear.
    await rm(next, { force: true }).catch(() => {});
    throw error;
  }
}

async function textOf(file: string): Promise<Outcome<string | undefined, string>> {
  try {
    return ok(await readFile(file, "utf8"));
  } catch (error) {
    // Reading a file fails with one of Node's own error codes.
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? ok(undefined) : failed(`${file} cannot be read (${code ?? "unknown error"}).`);
  }
}

interface Changed {
  readonly content: string;
  readonly hadEntry: boolean;
}

function changeJson(
  before: string | undefined,
  member: string,
  name: string,
  entry: JsonObject,
): Outcome<Changed, string> {
  const root = before === undefined || before.trim() === "" ? {} : parsed(before);
  if (root === undefined) return failed("is not plain JSON (it may hold comments), so it was left alone.");
  const servers = isObject(root) ? (root[member] ?? {}) : undefined;
  if (!isObject(root) || !isObject(servers))
    return failed(`does not hold its servers as an object in ${member}, so it was left alone.`);
  const hadEntry = name in servers;
  if (hadEntry && JSON.stringify(servers[name]) === JSON.stringify(entry))
    return ok({ content: before ?? "", hadEntry });
  const after = { ...root, [member]: { ...servers, [name]: entry } };
  const indent = /^([ \t]+)"/m.exec(before ?? "")?.[1] ?? "  ";
  return ok({ content: `${JSON.stringify(after, null, indent)}\n`, hadEntry });
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text.replace(BYTE_ORDER_MARK, ""));
  } catch {
    return undefined;
  }
}

const BYTE_ORDER_MARK = /^\uFEFF/;

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Only the server's own tables are written anew, and only where the file then means what it should. */
async function changeToml(
  before: string,
  member: string,
  name: string,
  entry: JsonObject,
): Promise<Outcome<Changed, string>> {
  const was = await tomlIn(before);
  if (was === undefined) return failed("is not TOML, so it was left alone.");
  const servers = was[member] ?? {};
  const wanted = isObject(servers) ? { ...was, [member]: { ...servers, [name]: entry } } : undefined;
  if (isDeepStrictEqual(was, wanted)) return ok({ content: before, hadEntry: true });
  const own = `${member}.${tomlKey(name)}`;
  const { kept, hadEntry } = withoutTable(before, own);
  const content = `${kept === "" ? "" : `${kept}\n\n`}${tomlTable(own, entry)}`;
  if (!isDeepStrictEqual(await tomlIn(content), wanted))
    return failed(`does not hold ${name} as a table of its own, so it was left alone.`);
  return ok({ content, hadEntry });
}

async function tomlIn(text: string): Promise<JsonObject | undefined> {
  const { parse } = await import("smol-toml");
  try {
    // Its objects have no prototype; a copy compares with objects of our own. Dates are compared, never read.
    return structuredClone(parse(text)) as JsonObject;
  } catch {
    return undefined;
  }
}

/** Every other line as it is; comments right above the next table belong to that one. */
function withoutTable(text: string, own: string): { readonly kept: string; readonly hadEntry: boolean } {
  const kept: string[] = [];
  let above: string[] = [];
  let isInside = false;
  let hadEntry = false;
  for (const line of text.split("\n")) {
    const header = /^\s*\[+\s*([^\]]+?)\s*\]+\s*(#.*)?$/.exec(line)?.[1];
    if (header !== undefined) isInside = header === own || header.startsWith(`${own}.`);
    if (!isInside) kept.push(...above, line);
    hadEntry ||= isInside;
    above = isInside && /^\s*#/.test(line) ? [...above, line] : [];
  }
  return { kept: kept.join("\n").trimEnd(), hadEntry };
}

function tomlTable(path: string, table: JsonObject): string {
  const members = Object.entries(table).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  const plain = members.filter(([, value]) => !isObject(value));
  const tables = members.filter(([, value]) => isObject(value));
  return [
    `[${path}]\n`,
    ...plain.map(([key, value]) => `${tomlKey(key)} = ${JSON.stringify(value)}\n`),
    // Filtered above: only objects are here.
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
