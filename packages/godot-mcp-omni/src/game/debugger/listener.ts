import { createServer, type Socket } from "node:net";
import { type Message, MessageStream } from "./message-stream.ts";
import { Session } from "./session.ts";

export interface DebuggerListener {
  /** The value for `--remote-debug`. */
  readonly address: string;
  /** Resolves when the game with this process id connects and drops other connections. Undefined accepts any. */
  accept(pid: number | undefined): Promise<Session>;
  close(): void;
}

/** Listens for one game on loopback, like the editor, or at a Unix socket. */
export async function listenForGame(socketPath?: string): Promise<DebuggerListener> {
  const waiting = new Map<Socket, Greeting>();
  let wanted: { pid: number | undefined; resolve: (session: Session) => void } | undefined;
  const match = () => {
    for (const [socket, greeting] of waiting) {
      if (wanted === undefined || greeting.pid === undefined) continue;
      waiting.delete(socket);
      if (wanted.pid !== undefined && greeting.pid !== wanted.pid) {
        socket.destroy();
        continue;
      }
      socket.off("data", greeting.read);
      wanted.resolve(new Session(socket, greeting.stream, greeting.messages));
      server.close();
    }
  };
  const server = createServer((socket) => {
    const greeting = greet(socket, match);
    waiting.set(socket, greeting);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => waiting.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (socketPath === undefined) server.listen(0, "127.0.0.1", resolve);
    else server.listen(socketPath, resolve);
  });
  server.unref();
  const address = server.address();
  if (address === null) throw new Error("A listening server has an address.");
  return {
    address: typeof address === "string" ? `unix://${address}` : `tcp://127.0.0.1:${address.port}`,
    accept: (pid) =>
      new Promise((resolve) => {
        wanted = { pid, resolve };
        match();
      }),
    close() {
      server.close();
      for (const socket of waiting.keys()) socket.destroy();
    },
  };
}

interface Greeting {
  readonly stream: MessageStream;
  readonly messages: Message[];
  readonly read: (chunk: Buffer) => void;
  pid?: number;
}

/** Waits for the first message of a game, which contains its process id. */
function greet(socket: Socket, onPid: () => void): Greeting {
  const stream = new MessageStream();
  const greeting: Greeting = {
    stream,
    messages: [],
    read(chunk) {
      const messages = stream.push(chunk);
      if (messages === undefined) {
        socket.destroy();
        return;
      }
      greeting.messages.push(...messages);
      const [first] = greeting.messages;
      if (first === undefined) return;
      const pid = first.data[0];
      if (first.name !== "set_pid" || typeof pid !== "bigint") socket.destroy();
      else {
        greeting.pid = Number(pid);
        onPid();
      }
    },
  };
  socket.on("data", greeting.read);
  return greeting;
}
