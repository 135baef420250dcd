import { type Connection, messageOf, type RpcAnswer, resultOf } from "./connection.ts";
import { type Era, INITIALIZED, opening, requestText } from "./era.ts";
import { ServerProcess } from "./server-process.ts";

const OPENING_BRACE = 0x7b;

export async function openStdio(
  script: string,
  era: Era,
  args: readonly string[] = ["stdio"],
): Promise<Connection> {
  const server = new ServerProcess(script, args);
  const { stdin, stdout } = server.child;
  if (stdin === null || stdout === null) throw new Error("The server has no stdin or stdout.");
  const waiting = new Map<
    number,
    { resolve: (answer: RpcAnswer) => void; reject: (error: unknown) => void }
  >();
  server.failure.catch((error) => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  });

  function receive(line: Buffer): void {
    // fastmcp writes log lines between its answers.
    if (line[0] !== OPENING_BRACE) return;
    const message = messageOf(line.toString());
    if (message.id === undefined) return;
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    try {
      asked?.resolve({ result: resultOf(message), bytes: line.length });
    } catch (error) {
      asked?.reject(error);
    }
  }

  let parts: Buffer[] = [];
  stdout.on("data", (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      receive(Buffer.concat(parts));
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  });

  let lastId = 0;
  const connection: Connection = {
    pid: server.pid,
    request(request) {
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        stdin.write(`${requestText(era, id, request)}\n`);
      });
    },
    close: () => server.end(),
  };
  await connection.request(opening(era));
  if (era === "legacy") stdin.write(`${INITIALIZED}\n`);
  return connection;
}
