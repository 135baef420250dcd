import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished, vi } from "vitest";
import type { GuardStorage } from "../../src/durable/storage.ts";
import { openStore } from "../../src/gate/open-store.ts";
import { loadPolicy } from "../../src/gate/policy.ts";
import type { JsonObject } from "../../src/json.ts";
import type { ScriptedPerson } from "../../src/testing/index.ts";

const workspace = join(import.meta.dirname, "../../../..");
export const patience = { timeout: 30_000 };

/** The two eras of the protocol over the two transports. */
export const legs = (["stdio", "http"] as const).flatMap((transport) =>
  (["modern", "legacy"] as const).map((era) => ({ transport, era })),
);
export type Leg = (typeof legs)[number];
/** Each transport and each era once, for what takes long. */
export const twoLegs: readonly Leg[] = [
  { transport: "stdio", era: "legacy" },
  { transport: "http", era: "modern" },
];

/** The command line of a server from the registry. */
export function published(name: string, ...args: string[]): readonly string[] {
  return [
    process.execPath,
    join(workspace, "node_modules/@modelcontextprotocol", name, "dist/index.js"),
    ...args,
  ];
}

/** The same server, which can lose answers; see the file. */
export function lossy(marker: string, server: readonly string[]): readonly string[] {
  return [process.execPath, join(import.meta.dirname, "lossy-server.ts"), marker, ...server];
}

export interface Lab {
  readonly folder: string;
  /** What the person at the inbox works on. */
  readonly storage: GuardStorage;
  /** Writes the policy anew; a gate reads it when it starts. */
  readonly policy: string;
  /** Starts a gate and connects the official client to it. */
  readonly connect: (leg: Leg, options?: ConnectOptions) => Promise<Gated>;
  /** Approves or rejects what waits next, once it is there. */
  readonly decide: (approve: boolean, note?: string) => Promise<void>;
}

export interface ConnectOptions {
  readonly server?: readonly string[];
  readonly url?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly person?: ScriptedPerson;
}

export interface Gated {
  readonly client: Client;
  readonly call: (name: string, args: JsonObject, meta?: JsonObject) => Promise<Answered>;
  /** Kills the gate without a word. */
  readonly kill: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface Answered {
  readonly text: string;
  readonly isError: boolean;
  /** What the gate says of the answer. */
  readonly gate: JsonObject;
}

/** A folder with a policy and its store. */
export async function lab(policyText: string): Promise<Lab> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolpact-gate-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const policy = join(folder, "gate.toml");
  writeFileSync(policy, policyText);
  const loaded = await loadPolicy(policy);
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

async function connect(policy: string, { transport, era }: Leg, options: ConnectOptions): Promise<Gated> {
  const { server = [], url, env = {}, person } = options;
  const args = [
    "--conditions=toolpact-source",
    join(workspace, "packages/contract/src/main.ts"),
    "gate",
    "--policy",
    policy,
    ...(url === undefined ? [] : ["--url", url]),
    ...(transport === "http" ? ["--http", "0", "--no-token", "--output", "json"] : []),
    ...(url === undefined ? ["--", ...server] : []),
  ];
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
  const inherited = Object.fromEntries(
    Object.entries({ ...process.env, ...env }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
  let kill: () => Promise<void>;
  let end = async () => {};
  if (transport === "stdio") {
    const stdio = new StdioClientTransport({
      command: process.execPath,
      args,
      env: inherited,
      stderr: "ignore",
    });
    await client.connect(stdio);
    kill = async () => {
      const closed = new Promise<void>((resolve) => {
        client.onclose = resolve;
      });
      // It was started above.
      process.kill(stdio.pid as number, "SIGKILL");
      await closed;
    };
  } else {
    const child = spawn(process.execPath, args, { env: inherited, stdio: ["ignore", "pipe", "ignore"] });
    const address = await firstLine(child);
    await client.connect(new StreamableHTTPClientTransport(new URL(address)));
    kill = async () => {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    };
    end = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    };
  }
  const close = async () => {
    await client.close().catch(() => {});
    await end();
  };
  onTestFinished(close);
  return {
    client,
    kill,
    close,
    async call(name, args, meta) {
      const result = await client.callTool({
        name,
        arguments: { ...args },
        ...(meta && { _meta: { ...meta } }),
      });
      const [first] = result.content;
      return {
        text: first?.type === "text" ? first.text : "",
        isError: result.isError === true,
        gate: (result._meta?.["io.toolpact/gate"] ?? {}) as JsonObject,
      };
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("It has no output.");
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return JSON.parse(line).url;
}
