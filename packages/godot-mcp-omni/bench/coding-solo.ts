import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { packageFolder } from "../src/godot/package-folder.ts";
import type { AddNode, Place } from "./edits.ts";

interface Peer {
  readonly addNode: AddNode;
  close(): void;
}

interface PeerOptions extends Place {
  readonly godot: string;
  readonly entry: string | undefined;
}

/** The server `@coding-solo/godot-mcp` over stdio, where it is installed. */
export async function codingSoloServer(options: PeerOptions): Promise<Peer | undefined> {
  const entry = options.entry ?? installed(packageFolder);
  if (entry === undefined) return undefined;
  const child = spawn(process.execPath, [entry], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { PATH: process.env.PATH, HOME: options.home, GODOT_PATH: options.godot },
  });
  const waiting = new Map<number, (message: PeerMessage) => void>();
  createInterface(child.stdout).on("line", (line) => {
    const message = JSON.parse(line) as PeerMessage; // one JSON-RPC message on each line
    waiting.get(message.id)?.(message);
  });
  let nextId = 1;
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method: string, params: object) =>
    new Promise<PeerMessage>((resolve) => {
      const id = nextId++;
      waiting.set(id, resolve);
      send({ id, method, params });
    });
  await request("initialize", {
    protocolVersion: "2024-11-05",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  });
  send({ method: "notifications/initialized" });
  return {
    addNode: async (index) => {
      const answer = await request("tools/call", {
        name: "add_node",
        arguments: {
          projectPath: options.project,
          scenePath: options.scene.slice("res://".length),
          parentNodePath: "root",
          nodeType: "Node2D",
          nodeName: `Node${index}`,
        },
      });
      if (answer.error !== undefined || answer.result?.isError) throw new Error(JSON.stringify(answer));
    },
    close: () => void child.kill(),
  };
}

interface PeerMessage {
  readonly id: number;
  readonly result?: { readonly isError?: boolean };
  readonly error?: object;
}

function installed(folder: string): string | undefined {
  const entry = join(folder, "node_modules/@coding-solo/godot-mcp/build/index.js");
  if (existsSync(entry)) return entry;
  return dirname(folder) === folder ? undefined : installed(dirname(folder));
}
