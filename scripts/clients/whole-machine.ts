import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { root } from "../packages.ts";
import { REAL_CLIENTS } from "./client-table.ts";
import { addServer, type ClientMachine, converse, newClientMachine, runAsUser } from "./drive-client.ts";
import type { Step } from "./scripted-model.ts";

/** Servers that are not dependencies of this repository. */
export const MORE_SERVERS = {
  "@playwright/mcp": "0.0.83",
  "@modelcontextprotocol/server-sequential-thinking": "2026.8.31",
  "@kazuph/mcp-taskmanager": "1.1.1",
} as const;

export interface WholeMachineReport {
  /** The names of the servers behind the gate. */
  readonly servers: readonly string[];
  /** The results of one call to each server, as the model saw them. */
  readonly results: Readonly<Record<string, string | undefined>>;
  /** True if the client has its servers back, although its file has changed otherwise. */
  readonly isRestored: boolean;
  readonly folder: string;
}

/** Puts a client's seven servers behind one gate, as a user would, and lets the model call each of them. */
async function driveWholeMachine(
  id: string,
  program: string,
  installed: string,
  chromium: string,
): Promise<WholeMachineReport> {
  const client = REAL_CLIENTS.find((one) => one.id === id);
  if (client === undefined) throw new Error(`There is no client ${id}.`);
  const folder = mkdtempSync(join(tmpdir(), "toolpact-whole-machine-"));
  const machine = await newClientMachine(client, program, folder);
  const page = await servePage();
  try {
    const files = join(folder, "files");
    mkdirSync(files);
    writeFileSync(join(files, "a.txt"), "a text of the file");
    for (const [name, server] of Object.entries(serversOf(folder, installed, chromium)))
      await addServer(machine, name, { kind: "stdio", command: process.execPath, ...server });
    const file = join(machine.home, ".gemini/settings.json");
    const servers = () => JSON.parse(readFileSync(file, "utf8")).mcpServers;
    const before = servers();
    await toolpact(machine, ["gate", "wrap", "--yes"]);
    const policy = join(machine.home, ".config/toolpact/gate.toml");
    const text = readFileSync(policy, "utf8");
    const sections = [...text.matchAll(/^\[servers\.([\w-]+)\]$/gm)].map(([, name = ""]) => name);
    const steps = stepsFor(files, page.url);
    writeFileSync(policy, allowing(text, Object.values(steps)));
    const { results } = await converse(machine, "whole-machine", [
      ...Object.values(steps),
      { text: "Done." },
    ]);
    await toolpact(machine, ["gate", "unwrap"]);
    return {
      servers: sections,
      results: Object.fromEntries(Object.keys(steps).map((name, at) => [name, results[at]])),
      isRestored: isDeepStrictEqual(servers(), before),
      folder,
    };
  } finally {
    page.close();
    machine.model.close();
  }
}

type ToolStep = Extract<Step, { readonly tool: string }>;

/** One call to each server, by the names behind the gate. */
function stepsFor(files: string, url: string): Readonly<Record<string, ToolStep>> {
  const entity = { name: "Ana", entityType: "friend", observations: ["tall"] };
  const thought = { thought: "Seven servers.", thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false };
  return {
    files: { tool: "files__read_text_file", input: { path: join(files, "a.txt") } },
    everything: { tool: "everything__echo", input: { message: "hello" } },
    memory: { tool: "memory__create_entities", input: { entities: [entity] } },
    browser: { tool: "browser__browser_navigate", input: { url } },
    tuitbot: { tool: "tuitbot__x_get_me", input: {} },
    thinking: { tool: "thinking__sequentialthinking", input: thought },
    tasks: {
      tool: "tasks__request_planning",
      input: { originalRequest: "Tidy up", tasks: [{ title: "Sweep", description: "The floor" }] },
    },
  };
}

function serversOf(folder: string, installed: string, chromium: string) {
  const ofContract = createRequire(join(root, "packages/contract/package.json"));
  const own = (name: string) => ofContract.resolve(`@modelcontextprotocol/${name}/dist/index.js`);
  const other = (path: string) => join(installed, "node_modules", path);
  return {
    files: { args: [own("server-filesystem"), join(folder, "files")] },
    everything: { args: [own("server-everything")] },
    memory: { args: [own("server-memory")], env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } },
    browser: {
      args: [
        other("@playwright/mcp/cli.js"),
        ...["--headless", "--isolated", "--no-sandbox", "--executable-path", chromium],
      ],
    },
    tuitbot: {
      args: [join(root, "packages/tuitbot/bin/tuitbot.js"), "mcp", "serve", "--sandbox"],
      env: { HOME: folder },
    },
    thinking: { args: [other("@modelcontextprotocol/server-sequential-thinking/dist/index.js")] },
    tasks: {
      args: [other("@kazuph/mcp-taskmanager/dist/index.js")],
      env: { TASK_MANAGER_FILE_PATH: join(folder, "tasks.json") },
    },
  };
}

/** The policy, which allows the called tools instead of asking. */
function allowing(policy: string, steps: readonly ToolStep[]): string {
  return steps.reduce((text, { tool }) => {
    const name = JSON.stringify(tool.slice(tool.indexOf("__") + 2));
    return text.replace(`${name} = "person"`, `${name} = "allow"`);
  }, policy);
}

async function toolpact(machine: ClientMachine, words: readonly string[]): Promise<void> {
  const code = await runAsUser(machine, "packages/toolpact/bin/toolpact.js", words);
  if (code !== 0) throw new Error(`toolpact ${words.join(" ")} exited with ${code}.`);
}

/** A page for the browser, on loopback. */
async function servePage() {
  const server = createServer((_request, response) =>
    response.setHeader("content-type", "text/html").end("<title>A test page</title><h1>Hello</h1>"),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A listening TCP server has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => void server.close() };
}

if (import.meta.main) {
  const [, , id = "", program = "", installed = "", chromium = ""] = process.argv;
  console.log(JSON.stringify(await driveWholeMachine(id, program, installed, chromium)));
  process.exit(0);
}
