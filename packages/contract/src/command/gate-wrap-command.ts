import { join } from "node:path";
import { type Command, type CommandContext, commandFor, localMachine } from "@toolpact/cli";
import { makeFolder } from "@toolpact/file-lock";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { replaceFile, textOf } from "../cli/client-config.ts";
import type { ClientServer } from "../cli/client-servers.ts";
import { learnServers, type NamedServer, nameServers } from "../cli/learn-servers.ts";
import type { ClientMachine, McpClient } from "../cli/mcp-clients.ts";
import { clientIds, launchOf } from "../cli/set-up-clients.ts";
import {
  type FoundClient,
  findClients,
  gateFolder,
  openWrapRecord,
  wrapClient,
  wrappedText,
} from "../cli/wrap.ts";
import { withSections } from "../gate/first-policy.ts";
import { acceptFirstTools } from "../gate/learn-server.ts";
import { lineDifference } from "../gate/line-difference.ts";
import { loadPolicy, type ServerPolicy } from "../gate/policy.ts";
import { visible } from "../guards/shown-text.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { maskSecrets } from "../redact.ts";
import { besidePolicy } from "./gate-place.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();
type Context = CommandContext<Machine, unknown>;

export const clientOption = {
  client: {
    kind: "list",
    placeholder: "CLIENTS",
    describe: "Only these clients; all that have servers unless given",
    choices: clientIds,
  },
} as const;
export const yesOption = { yes: { kind: "flag", short: "y", describe: "Write without asking" } } as const;

export const gateWrapCommand: Command<Machine> = command({
  name: "wrap",
  describe: "Put the servers of all MCP clients on this machine behind one gate",
  details:
    "Starts each configured server once to list its tools, writes a policy in which every tool needs approval, and replaces the servers in each client by the gate. Servers that a gate cannot start stay as they are. toolpact gate unwrap restores the files.",
  options: { ...clientOption, ...yesOption },
  examples: [
    { line: "toolpact gate wrap", does: "shows the change of each file, and asks" },
    { line: "toolpact gate wrap --client cursor --yes", does: "wraps the servers of Cursor without asking" },
  ],
  async run({ client: wanted, yes }, context) {
    const { terminal } = context;
    const place = placeIn(context);
    const folder = gateFolder(place);
    const policy = join(folder, "gate.toml");
    const record = await openWrapRecord(folder);
    if (!record.ok) return failed({ message: record.failure });
    const { found, problems } = await findClients(place, wanted);
    const notes = [...problems];
    const isWrapped = new Set(record.value.all.map(({ file }) => file));
    const open = found.filter(({ file, servers }) => !isWrapped.has(file) && servers.length > 0);
    for (const { file } of found.filter(({ file }) => isWrapped.has(file)))
      notes.push(`${file} is wrapped already. Run toolpact gate unwrap first.`);
    const existing = await policyAt(policy);
    if (!existing.ok) return failed({ message: existing.failure });
    const named = nameServers(open, existing.value.servers, notes);
    const { learned, failures } = await learnServers(named, context.signal);
    notes.push(...failures);
    const changes = await plan(open, new Set(learned.map(({ name }) => name)), named, policy, context, notes);
    if (changes.length === 0)
      return failed({ message: [...notes, "No server was found that can be put behind a gate."].join("\n") });
    const shown = changes.map(
      ({ found: { client, file, text: before, servers }, content }) =>
        `${client.title}: ${file}\n${changedLines(before, content, servers)}\n`,
    );
    const text = [...shown, ...notes].join("\n");
    const json = {
      policy,
      clients: changes.map(({ found: { client, file }, names }) => ({
        client: client.id,
        file,
        servers: names,
      })),
      left: notes,
    };
    if (!yes) {
      if (context.isJson || !terminal.isInteractive)
        return ok({
          text: `${text}\nNothing was written. Add --yes to write it.`,
          json: { ...json, written: false },
        });
      terminal.out(`${text}\n`);
      const answer = await terminal.ask("Write this? [y/N] ", context.signal);
      if (!/^y(es)?$/i.test(answer?.trim() ?? "")) return ok({ text: "Nothing was written.", json });
    }
    await makeFolder(folder);
    const accepted = await acceptFirstTools(besidePolicy(policy, ".tools.json"), learned);
    if (!accepted.ok) return failed({ message: accepted.failure });
    const added = learned.filter(({ name }) => !named.some((one) => one.name === name && one.isInPolicy));
    await replaceFile(policy, withSections(existing.value.text, added), 0o600);
    let all = record.value.all;
    for (const { found: one, names, content } of changes) {
      const written = await wrapClient(one, names, content, all, record.value.save);
      if (!written.ok) return failed({ message: written.failure });
      all = written.value;
    }
    return ok({
      text: `${yes ? `${text}\n` : ""}Every tool needs approval until you change its rule in ${policy}.\nApprove calls with: toolpact gate web --policy ${policy}\nRestore the files with: toolpact gate unwrap\n`,
      json: { ...json, written: true },
    });
  },
});

/** The changed lines, without values that are or look like secrets. */
function changedLines(before: string, after: string, servers: readonly ClientServer[]): string {
  const [was = "", is = ""] = [before, after].map((text) =>
    text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n"),
  );
  const lines = withoutSettings(lineDifference(was, is) ?? "", servers);
  return visible(maskSecrets(lines)).replaceAll(/^/gm, "  ");
}

/** Hides the values of tables such as `env` and `headers`: a password need not look like one. */
function withoutSettings(text: string, servers: readonly ClientServer[]): string {
  const values = servers
    .flatMap(({ entry }) => Object.values(entry).filter(isJsonObject))
    .flatMap((table) => Object.values(table))
    .filter((value) => typeof value === "string");
  if (values.length === 0) return text;
  const written = values.flatMap((value) => [JSON.stringify(value), `'${value}'`]).map(escaped);
  return text.replaceAll(new RegExp(`(?<=[:=]\\s*)(?:${written.join("|")})`, "g"), '"[secret]"');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

async function policyAt(
  file: string,
): Promise<
  Outcome<{ readonly text: string | undefined; readonly servers: readonly ServerPolicy[] }, string>
> {
  const text = await textOf(file);
  if (!text.ok) return text;
  if (text.value === undefined) return ok({ text: undefined, servers: [] });
  const policy = await loadPolicy(file);
  return policy.ok ? ok({ text: text.value, servers: policy.value.servers }) : policy;
}

export function placeIn({ machine, terminal }: Context): ClientMachine {
  const { home, platform } = machine.local ?? localMachine();
  return { home, platform, env: terminal.env };
}

interface Change {
  readonly found: FoundClient;
  readonly names: readonly string[];
  readonly content: string;
}

async function plan(
  clients: readonly FoundClient[],
  learned: ReadonlySet<string>,
  servers: readonly NamedServer[],
  policy: string,
  { machine }: Context,
  notes: string[],
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const found of clients) {
    const own = servers.filter(
      ({ name, entries }) => learned.has(name) && entries.some(({ file }) => file === found.file),
    );
    if (own.length === 0) continue;
    const names = own.flatMap(({ entries }) =>
      entries.filter(({ file }) => file === found.file).map(({ name }) => name),
    );
    const only = own.map(({ name }) => name).join(",");
    const entry = gateEntry(found.client, ["gate", "--policy", policy, "--only", only], machine);
    const content = entry && (await wrappedText(found, names, entry));
    if (content === undefined) notes.push(`${found.client.title} cannot start a gate.`);
    else if (content.ok) changes.push({ found, names, content: content.value });
    else notes.push(content.failure);
  }
  return changes;
}

function gateEntry(client: McpClient, args: readonly string[], { local }: Machine): JsonObject | undefined {
  return client.entry(launchOf("toolpact", args, {}, local ?? localMachine()));
}
