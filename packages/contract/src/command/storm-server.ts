import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { isJsonObject, type JsonObject, parseJson } from "../json.ts";

export type StormAnswer =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "none"; readonly why: "timeout" | "exit" };

/** A server on stdio, driven without a library: answers can be dropped and the process killed at any moment. */
export interface StormServer {
  readonly request: (method: string, params: JsonObject, options?: RequestOptions) => Promise<StormAnswer>;
  readonly notify: (method: string, params: JsonObject) => void;
  readonly stall: (ms: number) => Promise<void>;
  readonly kill: () => Promise<void>;
  /** Resolves to false if closing stdin did not end the server and it was killed. */
  readonly close: () => Promise<boolean>;
}

interface RequestOptions {
  readonly onSent?: (id: number) => void;
}

const PROTOCOL = "2025-11-25";
const TIME_TO_END_MS = 5_000;

/** Returns a text if the start or the handshake fails. */
export async function startServer(
  [command = "", ...args]: readonly string[],
  timeoutMs: number,
  env: NodeJS.ProcessEnv = process.env,
): Promise<StormServer | string> {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"], env });
  const spawned = await Promise.race([once(child, "spawn"), once(child, "error")]).catch((error) => error);
  const [failure] = Array.isArray(spawned) ? spawned : [spawned];
  if (failure instanceof Error) return failure.message;
  const server = speak(child, timeoutMs);
  const opened = await server.request("initialize", {
    protocolVersion: PROTOCOL,
    capabilities: {},
    clientInfo: { name: "toolpact-storm", version: "1" },
  });
  if (opened.kind !== "result") {
    await server.kill();
    return "It did not answer the handshake.";
  }
  server.notify("notifications/initialized", {});
  return server;
}

function speak(child: ChildProcess, timeoutMs: number): StormServer {
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("The server has no stdin or stdout.");
  // Writing to a server that has ended is reported by its end.
  stdin.on("error", () => {});
  const waiting = new Map<number, (answer: StormAnswer) => void>();
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  void exited.then(() => {
    for (const answer of waiting.values()) answer({ kind: "none", why: "exit" });
  });
  createInterface({ input: stdout }).on("line", (line) => {
    const message = parseJson(line);
    if (!isJsonObject(message) || typeof message.id !== "number") return;
    if (typeof message.method === "string") return;
    const { result, error } = message;
    waiting.get(message.id)?.(
      isJsonObject(result)
        ? { kind: "result", result }
        : { kind: "error", message: isJsonObject(error) ? String(error.message) : "no result" },
    );
  });
  let lastId = 0;
  const write = (message: JsonObject) => stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const kill = async () => {
    if (!isOver()) child.kill("SIGKILL");
    await exited;
  };
  return {
    async request(method, params, { onSent } = {}) {
      if (isOver()) return { kind: "none", why: "exit" };
      lastId += 1;
      const id = lastId;
      const answered = new Promise<StormAnswer>((resolve) => waiting.set(id, resolve));
      write({ id, method, params });
      onSent?.(id);
      const timer = Promise.withResolvers<StormAnswer>();
      const timeout = setTimeout(() => timer.resolve({ kind: "none", why: "timeout" }), timeoutMs);
      const answer = await Promise.race([answered, timer.promise]);
      clearTimeout(timeout);
      waiting.delete(id);
      return answer;
    },
    notify: (method, params) => void write({ method, params }),
    async stall(ms) {
      stdout.pause();
      await new Promise((resolve) => setTimeout(resolve, ms));
      stdout.resume();
    },
    kill,
    async close() {
      stdin.end();
      const late = setTimeout(() => child.kill("SIGKILL"), TIME_TO_END_MS);
      await exited;
      clearTimeout(late);
      return child.signalCode !== "SIGKILL";
    },
  };
}
