import { copyFile, mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { JsonObject } from "../json.ts";
import { setJsonEntry } from "./edit-json.ts";
import { setTomlEntry, tomlKey, tomlTable } from "./edit-toml.ts";
import type { ClientMachine, Launch, McpClient } from "./mcp-clients.ts";

export interface ClientChange {
  readonly client: McpClient;
  readonly file: string;
  readonly change: "create" | "add" | "replace" | "none";
  readonly before: string | undefined;
  /** The added part in the file's format, shown to the user. */
  readonly snippet: string;
  readonly content: string;
}

/** Plans the change, or returns why the file cannot be changed. */
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
      : await setTomlEntry(before.value ?? "", client.member, name, entry);
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

/** Writes the file atomically and keeps the old one as `.bak`. Symbolic links stay links. */
export async function writeClientChange({
  file,
  change,
  before,
  content,
}: ClientChange): Promise<Outcome<undefined, string>> {
  if (change === "none") return ok(undefined);
  // The client may have changed the file while the user decided.
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
    const { code } = error as NodeJS.ErrnoException;
    return failed(
      `${file} cannot be written (${code ?? "unknown error"}), so it was left alone. Fix that, then run this again.`,
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

/** Writes to another name first, so readers never see half a file. */
export async function replaceFile(file: string, content: string | Uint8Array, mode: number): Promise<void> {
  const next = `${file}.new`;
  try {
    await writeFile(next, content, { mode });
    await rename(next, file);
  } catch (error) {
    await rm(next, { force: true }).catch(() => {});
    throw error;
  }
}

export async function textOf(file: string): Promise<Outcome<string | undefined, string>> {
  try {
    return ok(await readFile(file, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? ok(undefined) : failed(`${file} cannot be read (${code ?? "unknown error"}).`);
  }
}

function snippetOf({ format, member }: McpClient, name: string, entry: JsonObject): string {
  return format === "json"
    ? `${JSON.stringify({ [member]: { [name]: entry } }, null, 2)}\n`
    : tomlTable(`${member}.${tomlKey(name)}`, entry);
}
