import { copyFile, mkdir, readFile, realpath, rename, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Json, JsonObject } from "../json.ts";
import { failed, type Outcome, ok } from "../outcome.ts";
import type { ClientMachine, Launch, McpClient } from "./mcp-clients.ts";

/** What would be written into a client's configuration; nothing is written yet. */
export interface ClientChange {
  readonly client: McpClient;
  readonly file: string;
  readonly change: "create" | "add" | "replace" | "none";
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
      : ok(changeToml(before.value, client.member, name, entry));
  if (!planned.ok)
    return failed(`${file} ${planned.failure} Add this by hand:\n${snippetOf(client, name, entry)}`);
  const { content, hadEntry } = planned.value;
  const change =
    before.value === undefined ? "create" : content === before.value ? "none" : hadEntry ? "replace" : "add";
  return ok({ client, file, change, snippet: snippetOf(client, name, entry), content });
}

/** Writes it in one step, keeping the file of before beside it. Links are followed, so that they stay links. */
export async function writeClientChange({ file, change, content }: ClientChange): Promise<void> {
  if (change === "none") return;
  if (change === "create") {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content, { mode: 0o600, flag: "wx" });
    return;
  }
  const real = await realpath(file);
  await copyFile(real, `${real}.bak`);
  const { mode } = await stat(real);
  await writeFile(`${real}.new`, content, { mode: mode & 0o777 });
  await rename(`${real}.new`, real);
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
  const servers = root?.[member] ?? {};
  if (root === undefined || !isObject(servers))
    return failed("is not plain JSON (it may hold comments), so it was left alone.");
  const hadEntry = name in servers;
  if (hadEntry && JSON.stringify(servers[name]) === JSON.stringify(entry))
    return ok({ content: before ?? "", hadEntry });
  const after = { ...root, [member]: { ...servers, [name]: entry } };
  const indent = /^([ \t]+)"/m.exec(before ?? "")?.[1] ?? "  ";
  return ok({ content: `${JSON.stringify(after, null, indent)}\n`, hadEntry });
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Takes the server's own tables out and adds them anew at the end; every other line stays as it is. */
function changeToml(before: string | undefined, member: string, name: string, entry: JsonObject): Changed {
  const lines = (before ?? "").split("\n");
  const own = `${member}.${tomlKey(name)}`;
  const kept: string[] = [];
  let isInside = false;
  let hadEntry = false;
  for (const line of lines) {
    const header = /^\s*\[+\s*([^\]]+?)\s*\]+\s*(#.*)?$/.exec(line)?.[1];
    if (header !== undefined) isInside = header === own || header.startsWith(`${own}.`);
    if (isInside) hadEntry = true;
    else kept.push(line);
  }
  const rest = kept.join("\n").trimEnd();
  const content = `${rest === "" ? "" : `${rest}\n\n`}${tomlTable(own, entry)}`;
  return { content, hadEntry };
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
