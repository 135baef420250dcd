import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** An answer on the wire; `bytes` is the length of its line. */
export interface Answer {
  readonly result: Readonly<Record<string, unknown>>;
  readonly bytes: number;
}

/** A minimal MCP client, which leaves most of the measured time to the server. It sends one request at a time. */
export class StdioClient {
  readonly server: ChildProcess;
  #heard: Buffer[] = [];
  #lastId = 0;
  #waiting: { resolve: (line: Buffer) => void; reject: (error: Error) => void } | undefined;

  /** Starts a program of Node's with these arguments. */
  constructor(args: readonly string[], env: NodeJS.ProcessEnv, stderr: "inherit" | "pipe" = "inherit") {
    this.server = spawn(process.execPath, args, { stdio: ["pipe", "pipe", stderr], env });
    this.server.stdout?.on("data", (part: Buffer) => this.#hear(part));
    this.server.on("exit", (code) => this.#waiting?.reject(new Error(`The server ended with ${code}.`)));
  }

  async request(method: string, params: object = {}): Promise<Answer> {
    const id = ++this.#lastId;
    const line = await new Promise<Buffer>((resolve, reject) => {
      this.#waiting = { resolve, reject };
      const message = { jsonrpc: "2.0", id, method, params: { ...params, _meta: ENVELOPE } };
      this.server.stdin?.write(`${JSON.stringify(message)}\n`);
    });
    const { result, error } = JSON.parse(line.toString());
    if (result === undefined || result.isError)
      throw new Error(`${method}: ${JSON.stringify(error ?? result)}`);
    return { result, bytes: line.length };
  }

  async close(): Promise<void> {
    const gone = once(this.server, "exit");
    this.server.stdin?.end();
    await gone;
  }

  #hear(part: Buffer): void {
    const end = part.indexOf("\n");
    this.#heard.push(end === -1 ? part : part.subarray(0, end));
    if (end === -1) return;
    const line = Buffer.concat(this.#heard);
    this.#heard = [];
    this.#waiting?.resolve(line);
  }
}

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "tuitbot-bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
