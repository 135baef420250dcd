import { createHash } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { makeFolder } from "@toolpact/file-lock";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import * as z from "zod";
import { isJsonObject, type JsonObject, parseJson } from "../json.ts";
import { replaceFile, textOf } from "./client-config.ts";
import { type ClientServer, clientServers } from "./client-servers.ts";
import { removeJsonEntry, setJsonEntry } from "./edit-json.ts";
import { removeTomlEntry, setTomlEntry } from "./edit-toml.ts";
import { type ClientMachine, type McpClient, mcpClients } from "./mcp-clients.ts";

export const GATE_ENTRY = "toolpact";

/** A client whose servers are behind the gate. */
const wrapped = z.object({
  client: z.string(),
  file: z.string(),
  /** The file before it was wrapped, in base64. */
  before: z.string(),
  /** SHA-256 of the file afterwards. */
  after: z.string(),
  entries: z.record(z.string(), z.custom<JsonObject>(isJsonObject)),
});
export type Wrapped = z.output<typeof wrapped>;

export interface FoundClient {
  readonly client: McpClient;
  readonly file: string;
  readonly text: string;
  readonly servers: readonly ClientServer[];
}

/** Finds the clients' files on this machine, with a sentence for each that cannot be wrapped. */
export async function findClients(
  machine: ClientMachine,
  wanted: readonly string[] | undefined,
): Promise<{ readonly found: readonly FoundClient[]; readonly problems: readonly string[] }> {
  const found: FoundClient[] = [];
  const problems: string[] = [];
  for (const client of mcpClients) {
    if (wanted !== undefined && !wanted.includes(client.id)) continue;
    const file = client.file(machine);
    const text = await textOf(file);
    if (!text.ok) problems.push(text.failure);
    if (!text.ok || text.value === undefined) continue;
    const servers = (await isInHome(file, machine.home))
      ? await clientServers(client, text.value)
      : failed("is a link out of the home folder.");
    if (servers.ok) found.push({ client, file, text: text.value, servers: servers.value });
    else problems.push(`${file} ${servers.failure}`);
  }
  return { found, problems };
}

async function isInHome(file: string, home: string): Promise<boolean> {
  const path = relative(await realpath(home), await realpath(file));
  return path !== ".." && !path.startsWith(`..${sep}`);
}

export async function wrappedText(
  { client: { format, member }, file, text }: FoundClient,
  names: readonly string[],
  gate: JsonObject,
): Promise<Outcome<string, string>> {
  let now = text;
  for (const name of names) {
    const removed =
      format === "json" ? removeJsonEntry(now, member, name) : await removeTomlEntry(now, member, name);
    if (!removed.ok) return failed(`${file} ${removed.failure}`);
    now = removed.value;
  }
  return withEntry({ format, member }, file, now, GATE_ENTRY, gate);
}

async function withEntry(
  { format, member }: Pick<McpClient, "format" | "member">,
  file: string,
  text: string,
  name: string,
  entry: JsonObject,
): Promise<Outcome<string, string>> {
  const set =
    format === "json"
      ? setJsonEntry(text, member, name, entry)
      : await setTomlEntry(text, member, name, entry);
  return set.ok ? ok(set.value.content) : failed(`${file} ${set.failure}`);
}

export interface WrapRecord {
  readonly all: readonly Wrapped[];
  readonly save: (all: readonly Wrapped[]) => Promise<void>;
}

export async function openWrapRecord(folder: string): Promise<Outcome<WrapRecord, string>> {
  const path = join(folder, "wrapped.json");
  const text = await textOf(path);
  if (!text.ok) return text;
  const parsed = z.array(wrapped).safeParse(text.value === undefined ? [] : parseJson(text.value));
  if (!parsed.success) return failed(`${path} is damaged. It has the files to restore.`);
  return ok({
    all: parsed.data,
    async save(all) {
      await makeFolder(folder);
      await replaceFile(path, `${JSON.stringify(all, null, 2)}\n`, 0o600);
    },
  });
}

/** Replaces a client's servers with the gate, after it has recorded the original. */
export async function wrapClient(
  found: FoundClient,
  names: readonly string[],
  content: string,
  record: readonly Wrapped[],
  save: WrapRecord["save"],
): Promise<Outcome<readonly Wrapped[], string>> {
  const { client, file, text, servers } = found;
  const bytes = await readFile(file);
  if (bytes.toString("utf8") !== text) return failed(`${file} has changed meanwhile. Run this again.`);
  const entry: Wrapped = {
    client: client.id,
    file,
    before: bytes.toString("base64"),
    after: sha256(content),
    entries: Object.fromEntries(
      servers.filter(({ name }) => names.includes(name)).map(({ name, entry }) => [name, entry]),
    ),
  };
  const all = [...record, entry];
  await save(all);
  const real = await realpath(file);
  await replaceFile(real, content, (await stat(real)).mode & 0o777);
  return ok(all);
}

/** Restores a client's file: byte for byte if unchanged, otherwise only its servers. `left` is why it could not. */
export async function unwrapClient({
  client: id,
  file,
  before,
  after,
  entries,
}: Wrapped): Promise<Outcome<"bytes" | "servers" | "already", string>> {
  const client = mcpClients.find((one) => one.id === id);
  const text = await textOf(file);
  if (!text.ok) return text;
  if (client === undefined) return failed(`${file} belongs to an unknown client ${id}.`);
  if (text.value === undefined) return failed(`${file} does not exist any more.`);
  const original = Buffer.from(before, "base64");
  if (original.equals(Buffer.from(text.value))) return ok("already");
  const real = await realpath(file);
  const mode = (await stat(real)).mode & 0o777;
  if (sha256(text.value) === after) {
    await replaceFile(real, original, mode);
    return ok("bytes");
  }
  const removed =
    client.format === "json"
      ? removeJsonEntry(text.value, client.member, GATE_ENTRY)
      : await removeTomlEntry(text.value, client.member, GATE_ENTRY);
  if (!removed.ok) return failed(`${file} ${removed.failure}`);
  let now = removed.value;
  for (const [name, entry] of Object.entries(entries)) {
    const set = await withEntry(client, file, now, name, entry);
    if (!set.ok) return set;
    now = set.value;
  }
  await replaceFile(real, now, mode);
  return ok("servers");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export function gateFolder({ home, env }: ClientMachine): string {
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "toolpact");
}
