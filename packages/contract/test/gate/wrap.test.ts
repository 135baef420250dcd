import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { runInMemory } from "@toolpact/cli/testing";
import { parse as parseToml } from "smol-toml";
import { expect, onTestFinished, test } from "vitest";
import { planClientChange, writeClientChange } from "../../src/cli/client-config.ts";
import { jsonIn } from "../../src/cli/edit-json.ts";
import { mcpClients } from "../../src/cli/mcp-clients.ts";
import { program } from "../../src/command/program.ts";
import { loadPolicy } from "../../src/gate/policy.ts";
import { published } from "./lab.ts";

function home(files: Readonly<Record<string, string>>) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolpact-wrap-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const local = {
    home: folder,
    cwd: folder,
    platform: "linux" as const,
    pause: async () => {},
    runtime: process.execPath,
    script: join(import.meta.dirname, "../../../toolpact/bin/toolpact.js"),
  };
  return {
    folder,
    policy: join(folder, ".config/toolpact/gate.toml"),
    read: (name: string) => readFileSync(join(folder, name), "utf8"),
    run: (...words: string[]) => runInMemory(program, ["gate", ...words], { server: [], local }),
  };
}

const [command = "", ...memory] = published("server-memory");
const files = (folder: string) => published("server-filesystem", folder).slice(1);

const CURSOR = ".cursor/mcp.json";
/** With comments, a trailing comma, tabs and CRLF. */
const cursor = (folder: string) =>
  `\uFEFF{\r\n\t// my servers\r\n\t"mcpServers": {\r\n\t\t"My Notes": { "command": ${JSON.stringify(command)}, "args": ${JSON.stringify(files(folder))} }, // notes\r\n\t\t"memory": {"command":${JSON.stringify(command)},"args":${JSON.stringify(memory)},"env":{"MEMORY_FILE_PATH":${JSON.stringify(join(folder, "m.jsonl"))}}},\r\n\t\t"broken": { "command": "no-such-program-here" },\r\n\t\t"off": { "command": "x", "disabled": true },\r\n\t},\r\n\t"other": [1, 2,]\r\n}\r\n`;

const CODEX = ".codex/config.toml";
const codex = (folder: string) => `# mine
model = "x"

[mcp_servers.memory]
command = ${JSON.stringify(command)}
args = ${JSON.stringify(memory)}

[mcp_servers.memory.env]
MEMORY_FILE_PATH = ${JSON.stringify(join(folder, "m.jsonl"))}

# next
[profiles.fast]
model = "y"
`;

test("the servers of two clients go behind one gate, a client that starts it has their tools, and every byte comes back", async () => {
  const { folder, policy, read, run } = home({});
  const [first, second] = [cursor(folder), codex(folder)];
  for (const [name, text] of [
    [CURSOR, first],
    [CODEX, second],
  ] as const) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const shown = await run("wrap");
  expect(shown.out).toContain("Nothing was written");
  expect(shown.out).toMatch(/^ {2}-\t\t"My Notes": \{ "command": /m);
  expect(shown.out).toMatch(/^ {2}\+.*"toolpact": \{/m);
  expect(shown.out).toContain(`  -[mcp_servers.memory]\n  -command = ${JSON.stringify(command)}`);
  expect(shown.out).toContain("  +[mcp_servers.toolpact]\n");
  expect(shown.out).not.toContain("\\u{d}");
  expect(read(CURSOR)).toBe(first);

  const done = await run("wrap", "--yes", "--output", "json");
  expect(done.json()).toMatchObject({
    written: true,
    clients: [
      { client: "cursor", servers: ["My Notes", "memory"] },
      { client: "codex", servers: ["memory"] },
    ],
    left: [
      expect.stringContaining("off is switched off"),
      expect.stringContaining("broken stays as it is. The server cannot be reached: there is no program"),
    ],
  });
  expect(read(CURSOR)).toContain("\t// my servers\r\n");
  expect(read(CURSOR)).toContain('"off": { "command": "x", "disabled": true },');
  const wrapped = jsonIn(read(CURSOR)) as { mcpServers: Record<string, { command: string; args: string[] }> };
  expect(Object.keys(wrapped.mcpServers)).toEqual(["broken", "off", "toolpact"]);
  expect(read(CODEX)).toContain('# next\n[profiles.fast]\nmodel = "y"\n');
  expect(parseToml(read(CODEX))).toMatchObject({ mcp_servers: { toolpact: { command: process.execPath } } });

  // Both clients have this server, so it is one section.
  const loaded = await loadPolicy(policy);
  if (!loaded.ok) throw new Error(loaded.failure);
  expect(loaded.value.servers.map(({ name }) => name)).toEqual(["My-Notes", "memory"]);
  const entry = wrapped.mcpServers.toolpact;
  if (entry === undefined) throw new Error("The gate is missing.");
  expect(entry.args.slice(-2)).toEqual(["--only", "My-Notes,memory"]);
  const client = new Client({ name: "tester", version: "1" });
  await client.connect(new StdioClientTransport({ ...entry, stderr: "ignore" }));
  onTestFinished(() => client.close());
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["My-Notes__read_text_file", "memory__read_graph"]));
  await client.close();

  const status = await run("status");
  expect(status.out).toContain("behind the gate: My Notes, memory\n  direct: broken, off");
  expect((await run("wrap", "--yes")).err).toContain("is wrapped already");
  const restored = await run("unwrap", "--yes");
  expect(restored).toMatchObject({ code: 0, out: expect.stringContaining("byte for byte") });
  expect(read(CURSOR)).toBe(first);
  expect(read(CODEX)).toBe(second);
  expect((await run("unwrap")).out).toContain("Nothing is wrapped.");
});

test("a server of every client that mcp setup knows goes behind the gate, and every file comes back byte for byte", async () => {
  const { folder, policy, run } = home({});
  const place = { home: folder, platform: "linux" as const, env: {} };
  const launch = {
    kind: "stdio",
    command,
    args: memory,
    env: { MEMORY_FILE_PATH: join(folder, "m.jsonl") },
  } as const;
  const before = new Map<string, string>();
  for (const client of mcpClients) {
    const planned = await planClientChange(client, "memory", launch, place);
    if (!planned.ok) throw new Error(`${client.id}: ${planned.failure}`);
    if (!(await writeClientChange(planned.value)).ok) throw new Error(client.id);
    const { file } = planned.value;
    // Edited by hand.
    const text = `${readFileSync(file, "utf8").trimEnd()}${file.endsWith(".toml") ? "\r\n# end" : " \n\n"}`;
    writeFileSync(file, text);
    before.set(file, text);
  }
  expect(before.size).toBe(mcpClients.length);
  const done = await run("wrap", "--yes", "--output", "json");
  expect(done.json()).toMatchObject({ written: true, left: [] });
  for (const [file, text] of before) {
    const wrapped = readFileSync(file, "utf8");
    expect(wrapped, file).not.toBe(text);
    expect(wrapped, file).toContain("toolpact");
    expect(wrapped, file).not.toContain("MEMORY_FILE_PATH");
  }
  const loaded = await loadPolicy(policy);
  expect(loaded.ok && loaded.value.servers.map(({ name }) => name)).toEqual(["memory"]);
  expect(await run("unwrap")).toMatchObject({ code: 0 });
  for (const [file, text] of before) expect(readFileSync(file, "utf8"), file).toBe(text);
});

test("the shown change hides every value of env and headers", async () => {
  const secrets = ["horse\u200b7", "it's one", 'say "so"', "Basic-me"];
  const [plain, quoted, escaped, header] = secrets;
  const env = { DB_PASSWORD: plain, NOTE: escaped, MEMORY_FILE_PATH: "memory" };
  const servers = {
    memory: { command, args: memory, env },
    // Left as it is, and on the same line.
    remote: { url: "http://127.0.0.1:9/mcp", headers: { Authorization: header } },
  };
  const { run, read } = home({
    [CURSOR]: JSON.stringify({ mcpServers: servers }),
    [CODEX]: `[mcp_servers.memory]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(memory)}\nenv = { PIN = '7', NOTE = "${quoted}" }\n`,
  });
  const before = read(CURSOR);
  const { out } = await run("wrap");
  for (const secret of [...secrets, JSON.stringify(escaped).slice(1, -1), "'7'"])
    expect(out, secret).not.toContain(secret);
  expect(out).toContain('"DB_PASSWORD":"[secret]"');
  expect(out).toContain(`PIN = "[secret]"`);
  expect(out).toContain('"memory":{"command":');
  expect(read(CURSOR)).toBe(before);
});

test("a client that changed its file meanwhile gets its servers back, and keeps the change", async () => {
  const { folder, read, run } = home({
    [CURSOR]: JSON.stringify({ mcpServers: { memory: { command, args: memory } } }, null, 2),
  });
  await run("wrap", "--yes");
  const now = read(CURSOR).replace("{", '{\n  "added": true,');
  writeFileSync(join(folder, CURSOR), now);
  expect((await run("unwrap")).out).toContain("its servers are back");
  expect(JSON.parse(read(CURSOR))).toEqual({
    added: true,
    mcpServers: { memory: { command, args: memory } },
  });
});

test("a second wrap keeps the rules that were set since the first", async () => {
  const { policy, run } = home({
    [CURSOR]: JSON.stringify({ mcpServers: { memory: { command, args: memory } } }),
  });
  await run("wrap", "--yes");
  writeFileSync(
    policy,
    readFileSync(policy, "utf8").replace('"read_graph" = "person"', '"read_graph" = "read_only"'),
  );
  await run("unwrap");
  expect(await run("wrap", "--yes")).toMatchObject({ code: 0 });
  const text = readFileSync(policy, "utf8");
  expect(text).toContain('"read_graph" = "read_only"');
  expect(text.match(/\[servers\.memory\]/g)).toHaveLength(1);
});

test("broken files, links out of the home folder and servers with settings of their client are left alone", async () => {
  const outside = mkdtempSync(join(tmpdir(), "toolpact-outside-"));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  const text = JSON.stringify({ mcpServers: { memory: { command, args: memory } } });
  const { folder, read, run } = home({
    [CURSOR]: '{ "mcpServers": { "memory": ',
    [CODEX]: '[mcp_servers.memory]\ncommand = "node"\nenv_vars = ["HOME"]\n',
  });
  writeFileSync(join(outside, "mcp.json"), text);
  mkdirSync(join(folder, ".kiro/settings"), { recursive: true });
  symlinkSync(join(outside, "mcp.json"), join(folder, ".kiro/settings/mcp.json"));
  const refused = await run("wrap", "--yes");
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.err).toContain("is neither JSON nor JSON with comments");
  expect(refused.err).toContain("is a link out of the home folder");
  expect(refused.err).toContain('memory has the setting "env_vars"');
  expect(readFileSync(join(outside, "mcp.json"), "utf8")).toBe(text);
  expect(read(CURSOR)).toBe('{ "mcpServers": { "memory": ');
});
