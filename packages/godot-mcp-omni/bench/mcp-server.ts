import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** An MCP server in a separate process, started like by any client. */
export interface McpServer {
  /** Fails if the tool does. */
  call(tool: string, args: object): Promise<ServerAnswer>;
  request(method: string, params?: object): Promise<ServerAnswer>;
  close(): Promise<void>;
}

export interface ServerAnswer {
  readonly result: { readonly isError?: boolean };
  /** Length of its line on the wire. */
  readonly bytes: number;
}

interface Message {
  readonly id?: number;
  readonly result?: { readonly isError?: boolean };
  readonly error?: object;
}

/** Shakes hands with a server over stdio. `args` are Node's. */
export async function startMcpServer(args: readonly string[], env: NodeJS.ProcessEnv): Promise<McpServer> {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"], env });
  const gone = once(child, "exit");
  const waiting = new Map<
    number,
    { resolve: (answer: ServerAnswer) => void; reject: (error: Error) => void }
  >();
  createInterface(child.stdout).on("line", (line) => {
    const { id = 0, result, error } = JSON.parse(line) as Message; // one JSON-RPC message on each line
    const asked = waiting.get(id);
    waiting.delete(id);
    if (result === undefined) asked?.reject(new Error(JSON.stringify(error)));
    else asked?.resolve({ result, bytes: Buffer.byteLength(line) });
  });
  child.on("exit", (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`The server ended with ${code}.`));
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let lastId = 0;
  const request = (method: string, params: object = {}) =>
    new Promise<ServerAnswer>((resolve, reject) => {
      waiting.set(++lastId, { resolve, reject });
      send({ id: lastId, method, params });
    });
  await request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  });
  send({ method: "notifications/initialized" });
  return {
    request,
    async call(tool, args) {
      const answer = await request("tools/call", { name: tool, arguments: args });
      if (answer.result.isError) throw new Error(`${tool}: ${JSON.stringify(answer.result)}`);
      return answer;
    },
    async close() {
      child.stdin.end();
      // A server that does not end with its client is ended.
      const late = setTimeout(() => child.kill(), 10_000);
      await gone;
      clearTimeout(late);
    },
  };
}
