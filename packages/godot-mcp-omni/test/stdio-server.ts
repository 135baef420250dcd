import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { JsonObject } from "@toolpact/contract";
import type { OkEnvelope } from "@toolpact/contract/internal";
import { onTestFinished } from "vitest";
import { checkDeclared } from "./declared-codes.ts";
import { childEnvironment, GAME, writeFiles } from "./server-project.ts";

const CLI = path.join(import.meta.dirname, "../src/main.ts");

export interface StdioServer {
  readonly root: string;
  readonly client: Client;
  readonly pid: number;
  /** The answer, after a check that its text and its structured content are the same. */
  readonly call: (tool: string, args: JsonObject) => Promise<OkEnvelope>;
}

export interface StdioOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly root?: string;
  /** All unless given; none for those by default. */
  readonly toolsets?: readonly string[];
  readonly client?: Client;
}

/** The real server in a separate process, with the real client. Without Godot unless the environment names one. */
export async function startStdioServer({
  files = GAME,
  args = [],
  env = {},
  root,
  toolsets = ["all"],
  client = new Client({ name: "tester", version: "1" }, { versionNegotiation: { mode: "auto" } }),
}: StdioOptions = {}): Promise<StdioServer> {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "godot-stdio-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const project = root ?? path.join(base, "game");
  if (root === undefined) writeFiles(project, files);
  writeFiles(base, { "home/.keep": "" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      "--conditions=toolpact-source",
      CLI,
      "--project",
      project,
      "--trust",
      "serve",
      ...(toolsets.length === 0 ? [] : ["--toolsets", toolsets.join()]),
      ...args,
    ],
    env: { ...childEnvironment(base), GODOT_PATH: "", ...env },
    stderr: "inherit",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    root: project,
    client,
    pid: transport.pid ?? 0,
    async call(tool, given) {
      const answer = await client.callTool({ name: tool, arguments: given });
      const [block] = answer.content as readonly { type: string; text: string }[];
      const returned = JSON.parse(block?.text ?? "null") as OkEnvelope;
      // An answer with a picture has its envelope as text alone.
      if (
        answer.content.length === 1 &&
        JSON.stringify(returned) !== JSON.stringify(answer.structuredContent)
      )
        throw new Error(`${tool} returned two results.`);
      if (returned.ok === (answer.isError === true)) throw new Error(`${tool} is and is not an error.`);
      return checkDeclared(returned);
    },
  };
}
