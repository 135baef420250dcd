import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished, vi } from "vitest";
import { openStore } from "../../src/gate/open-store.ts";
import { loadPolicy } from "../../src/gate/policy.ts";
import type { GuardStorage } from "../../src/guards/storage.ts";
import type { JsonObject } from "../../src/json.ts";
import type { ElicitationParams, ElicitationReply } from "../../src/testing/scripted-person.ts";

const workspace = join(import.meta.dirname, "../../../..");
export const patience = { timeout: 30_000 };

export const legs = (["stdio", "http"] as const).flatMap((transport) =>
  (["modern", "legacy"] as const).map((era) => ({ transport, era })),
);
export type Leg = (typeof legs)[number];
/** Each transport and era once, for slow tests. */
export const twoLegs: readonly Leg[] = [
  { transport: "stdio", era: "legacy" },
  { transport: "http", era: "modern" },
];

export function published(name: string, ...args: string[]): readonly string[] {
  return [
    process.execPath,
    join(workspace, "node_modules/@modelcontextprotocol", name, "dist/index.js"),
    ...args,
  ];
}

export function lossy(marker: string, server: readonly string[]): readonly string[] {
  return [process.execPath, join(import.meta.dirname, "lossy-server.ts"), marker, ...server];
}

/** Prints its port. */
export async function listening(
  [command = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  onTestFinished(kill);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return { port: Number(JSON.parse(line).port), kill };
}

export interface Lab {
  readonly folder: string;
  readonly storage: GuardStorage;
  /** A gate reads it when it starts. */
  readonly policy: string;
  readonly connect: (leg: Leg, options?: ConnectOptions) => Promise<Gated>;
  readonly serve: (options: ConnectOptions) => Promise<ServedGate>;
  readonly decide: (approve: boolean, note?: string) => Promise<void>;
}

export interface ConnectOptions {
  readonly server?: readonly string[];
  readonly url?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly person?: {
    readonly reply: (asked: ElicitationParams) => ElicitationReply | Promise<ElicitationReply>;
  };
  readonly gateArgs?: readonly string[];
  readonly port?: number;
  /** Changes the address that the client gets. */
  readonly through?: (url: string) => string;
  /** Changes the command that the client starts. */
  readonly wrap?: (gate: readonly string[]) => readonly string[];
}

export interface ServedGate {
  readonly url: string;
  readonly token?: string;
  readonly said: () => string;
  readonly kill: () => Promise<void>;
  readonly end: () => Promise<void>;
}

export interface Gated {
  readonly client: Client;
  readonly call: (name: string, args: JsonObject, meta?: JsonObject) => Promise<Answered>;
  /** SIGKILL. */
  readonly kill: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface Answered {
  readonly text: string;
  readonly isError: boolean;
  readonly gate: JsonObject;
}

export async function lab(
  policyText: string | ((folder: string) => string),
  env: NodeJS.ProcessEnv = {},
): Promise<Lab> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolpact-gate-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const policy = join(folder, "gate.toml");
  writeFileSync(policy, typeof policyText === "string" ? policyText : policyText(folder));
  const loaded = await loadPolicy(policy, env);
  if (!loaded.ok) throw new Error(loaded.failure);
  const opened = await openStore(loaded.value);
  if (!opened.ok) throw new Error(opened.failure);
  const storage = opened.value;
  onTestFinished(() => storage.close());
  return {
    folder,
    policy,
    storage,
    connect: (leg, options = {}) => connect(policy, leg, options),
    serve: (options) => serve(policy, options),
    async decide(approve, note = "") {
      const item = await vi.waitFor(async () => {
        const [waiting] = await storage.items("waiting", Date.now());
        if (waiting === undefined) throw new Error("Nothing waits.");
        return waiting;
      }, patience);
      const { id, digest } = item;
      await storage.decide({ id, digest, approve, by: "person in a test", note, now: Date.now() });
    },
  };
}

/** Uses an existing policy, on stdio. */
export function connectTo(
  policy: string,
  server?: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Gated> {
  const given = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  return connect(
    policy,
    { transport: "stdio", era: "modern" },
    { env: given, ...(server !== undefined && { server }) },
  );
}

async function connect(policy: string, { transport, era }: Leg, options: ConnectOptions): Promise<Gated> {
  const { person, through = (url) => url } = options;
  const client = new Client(
    { name: "tester", version: "1" },
    {
      versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" },
      capabilities: person === undefined ? {} : { elicitation: { form: {} }, sampling: {} },
    },
  );
  if (person !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }) =>
      person.reply("requestedSchema" in params ? params : { message: params.message }),
    );
    client.setRequestHandler("sampling/createMessage", async () => ({
      role: "assistant",
      model: "test",
      content: { type: "text", text: "sampled by the client" },
    }));
  }
  let kill: () => Promise<void>;
  let end = async () => {};
  if (transport === "stdio") {
    const own = commandOf(policy, options);
    const [command = "", ...args] = options.wrap?.(own) ?? own;
    const stdio = new StdioClientTransport({ command, args, env: envOf(options), stderr: "ignore" });
    await client.connect(stdio);
    kill = async () => {
      const closed = new Promise<void>((resolve) => {
        client.onclose = resolve;
      });
      process.kill(stdio.pid as number, "SIGKILL");
      await closed;
    };
  } else {
    const served = await serve(policy, { gateArgs: ["--no-token"], ...options });
    kill = served.kill;
    end = served.end;
    await client.connect(new StreamableHTTPClientTransport(new URL(through(served.url))));
  }
  const close = async () => {
    await client.close().catch(() => {});
    await end();
  };
  onTestFinished(close);
  return { client, kill, close, call: (name, args, meta) => callTool(client, name, args, meta) };
}

export async function callTool(
  client: Client,
  name: string,
  args: JsonObject,
  meta?: JsonObject,
): Promise<Answered> {
  const result = await client.callTool({ name, arguments: { ...args }, ...(meta && { _meta: { ...meta } }) });
  const [first] = result.content;
  return {
    text: first?.type === "text" ? first.text : "",
    isError: result.isError === true,
    gate: (result._meta?.["io.toolpact/gate"] ?? {}) as JsonObject,
  };
}

async function serve(policy: string, options: ConnectOptions): Promise<ServedGate> {
  const { port = 0, gateArgs = [] } = options;
  const http = ["--http", String(port), "--output", "json", ...gateArgs];
  const [command = "", ...args] = commandOf(policy, { ...options, gateArgs: http });
  const child = spawn(command, args, { env: envOf(options), stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (part) => {
    said += part;
  });
  const exited = once(child, "exit");
  const end = async () => {
    child.kill("SIGTERM");
    await exited;
  };
  onTestFinished(end);
  const printed = await opened(child);
  if (typeof printed === "string") throw new Error(`The gate did not open: ${printed}${said}`);
  return {
    ...printed,
    said: () => said,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    end,
  };
}

function commandOf(policy: string, { server, url, gateArgs = [] }: ConnectOptions): readonly string[] {
  return [
    process.execPath,
    "--conditions=toolpact-source",
    join(workspace, "packages/toolpact/src/main.ts"),
    "gate",
    "--policy",
    policy,
    ...(url === undefined ? [] : ["--url", url]),
    ...gateArgs,
    ...(server === undefined ? [] : ["--", ...server]),
  ];
}

function envOf({ env = {} }: ConnectOptions): Record<string, string> {
  return Object.fromEntries(
    Object.entries({ ...process.env, ...env }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

/** Its first line, or all output if it ends before that. */
async function opened({ stdout }: ChildProcess): Promise<{ readonly url: string } | string> {
  if (stdout === null) throw new Error("It has no output.");
  let printed = "";
  for await (const line of createInterface({ input: stdout })) {
    if (line.startsWith('{"url"')) return JSON.parse(line);
    printed += `${line}\n`;
  }
  return printed;
}
