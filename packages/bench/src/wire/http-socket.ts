import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
  readonly contentType: string;
  /** Empty if there is none. */
  readonly session: string;
}

/** One request at a time. Node's own client uses more CPU than the fastest server, and would dominate the result. */
export class HttpSocket {
  private readonly socket: Socket;
  private received: Buffer = Buffer.alloc(0);
  private lastUsed = performance.now();
  private waiting: { resolve: (answer: HttpAnswer) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.receive(chunk));
    socket.on("error", (error) => this.fail(error));
    socket.on("close", () => this.fail(new Error("The server closed the connection.")));
  }

  static async open(port: number): Promise<HttpSocket> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new HttpSocket(socket);
  }

  post(path: string, headers: Readonly<Record<string, string>>, body: string): Promise<HttpAnswer> {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(
        `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${this.socket.remotePort}\r\n${lines.join("")}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    });
  }

  /** Node's servers close after five idle seconds. */
  isFresh(): boolean {
    return performance.now() - this.lastUsed < 2000;
  }

  close(): void {
    this.socket.destroy();
  }

  private receive(chunk: Buffer): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    const answer = answerIn(this.received);
    if (answer === undefined) return;
    this.received = Buffer.alloc(0);
    this.lastUsed = performance.now();
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.resolve(answer);
  }

  private fail(error: Error): void {
    this.waiting?.reject(error);
    this.waiting = undefined;
  }
}

/** Undefined if more bytes must come. */
export function answerIn(bytes: Buffer): HttpAnswer | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const head = bytes.toString("latin1", 0, headEnd);
  const status = Number(head.slice(9, 12));
  const contentType = headerIn(head, "content-type");
  const session = headerIn(head, "mcp-session-id");
  const rest = bytes.subarray(headEnd + 4);
  if (headerIn(head, "transfer-encoding") === "chunked") {
    const body = unchunked(rest);
    return body && { status, body, contentType, session };
  }
  const length = Number(headerIn(head, "content-length"));
  return rest.length < length ? undefined : { status, body: rest.subarray(0, length), contentType, session };
}

function headerIn(head: string, name: string): string {
  return new RegExp(`\\r\\n${name}: *([^\\r]*)`, "i").exec(head)?.[1] ?? "";
}

function unchunked(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const start = lineEnd + 2;
    if (bytes.length < start + size + 2) return undefined;
    if (size === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}
