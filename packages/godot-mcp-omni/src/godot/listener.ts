import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import type { Clock, JsonObject } from "@toolpact/contract";
import { FrameReader, frame, Link, type LinkOptions } from "./link.ts";

interface ListenerOptions extends LinkOptions {
  readonly token: string;
  onLink(link: Link): void;
}

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

const GREETING_MS = 10_000;
const MAX_GREETING_BYTES = 8 << 10;

/** Listens on loopback for Godot processes that have the token. Other connections are dropped. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.setNoDelay(true);
    greet(socket, options.token, options.clock, (hello, reader) =>
      options.onLink(new Link(socket, hello, reader, options)),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  server.unref();
  return {
    port: portOf(server),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function greet(
  socket: Socket,
  token: string,
  clock: Clock,
  onKnown: (hello: Hello, reader: FrameReader) => void,
): void {
  const reader = new FrameReader(MAX_GREETING_BYTES);
  const ours = randomBytes(16).toString("hex");
  let hello: Hello | undefined;
  const stopTimer = clock.after(GREETING_MS, () => socket.destroy());
  socket.on("close", stopTimer);

  const step = (message: JsonObject): boolean => {
    if (hello === undefined) {
      hello = readHello(message);
      if (hello === undefined) return false;
      socket.write(frame({ nonce: ours, proof: proof(token, "server", hello.nonce, ours) }));
      return true;
    }
    if (!provesToken(message.proof, proof(token, "client", hello.nonce, ours))) return false;
    stopTimer();
    socket.off("data", onData);
    onKnown(hello, reader);
    socket.write(frame({ ready: true }));
    return true;
  };
  // The other side waits for each of our steps, so a chunk contains at most one of its messages.
  const onData = (chunk: Buffer) => {
    const messages = reader.push(chunk);
    if (messages === undefined || messages.length > 1 || (messages[0] && !step(messages[0])))
      socket.destroy();
  };
  socket.on("data", onData);
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("A listening server has a port.");
  return address.port;
}

const PROTOCOL = 1;

/** The other side's description of itself. Trusted only after its proof. */
export interface Hello {
  readonly role: "engine" | "editor";
  readonly project: string;
  readonly version: string;
  /** Version of the editor's addon; absent before 0.2. */
  readonly addon: string | undefined;
  readonly pid: number;
  readonly nonce: string;
}

/**
 * Both sides prove that they have the token without sending it: a stranger on the port of a stopped server
 * learns nothing and can request nothing.
 */
export function proof(token: string, side: "server" | "client", theirs: string, ours: string): string {
  return createHmac("sha256", token).update(`${side}:${theirs}:${ours}`).digest("hex");
}

function provesToken(given: unknown, expected: string): boolean {
  if (typeof given !== "string") return false;
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}

function readHello(message: JsonObject): Hello | undefined {
  const hello = message.hello;
  if (typeof hello !== "object" || hello === null || !("nonce" in hello)) return undefined;
  const { role, project, version, addon, pid, nonce, protocol } = hello;
  if (protocol !== PROTOCOL || (role !== "engine" && role !== "editor")) return undefined;
  if (typeof project !== "string" || typeof version !== "string" || typeof nonce !== "string")
    return undefined;
  return {
    role,
    project,
    version,
    nonce,
    addon: typeof addon === "string" ? addon.slice(0, 40) : undefined,
    pid: typeof pid === "number" ? pid : 0,
  };
}
