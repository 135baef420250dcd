import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { EnvelopeError } from "@toolpact/contract/internal";

/** The command line of this checkout, run from its sources. */
export const tuitbotCommand = {
  command: process.execPath,
  args: ["--conditions=toolpact-source", new URL("../src/main.ts", import.meta.url).pathname],
};

/** An environment in which nothing of the person who runs the tests is set. */
export function cleanEnv(home: string, more: NodeJS.ProcessEnv = {}): Record<string, string> {
  const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: "1", NODE_NO_WARNINGS: "1", ...more };
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

export interface LiveServer {
  readonly client: Client;
  readonly call: (tool: string, args?: Record<string, unknown>) => Promise<Envelope>;
  readonly close: () => Promise<void>;
}

export interface Envelope {
  readonly success: boolean;
  readonly data: unknown;
  readonly error?: EnvelopeError<string>;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** The approval item of a call that waits for a person; undefined for every other answer. */
export function queuedItem({ success, data }: Pick<Envelope, "success" | "data">): number | undefined {
  const { status, approval_queue_id } = Object(data) as Readonly<Record<string, unknown>>;
  return success && status === "queued" ? Number(approval_queue_id) : undefined;
}

/** `tuitbot mcp serve` as a separate process, with a real client on its stdio. Lists all tools by default. */
export async function serveLive(
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
  list: readonly string[] = ["--toolsets", "--list"].some((option) => words.includes(option))
    ? []
    : ["--list", "all"],
): Promise<LiveServer> {
  const home = mkdtempSync(join(tmpdir(), "tuitbot-live-"));
  const client = new Client({ name: "tester", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: tuitbotCommand.command,
      args: [...tuitbotCommand.args, "mcp", "serve", ...words, ...list],
      env: cleanEnv(home, env),
      stderr: "pipe",
    }),
  );
  return {
    client,
    async call(tool, args = {}) {
      const { structuredContent } = await client.callTool({ name: tool, arguments: args });
      // Every answer of this server is the envelope; tests check what is in it.
      return structuredContent as unknown as Envelope;
    },
    async close() {
      await client.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
