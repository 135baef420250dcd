import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type Transport,
} from "@modelcontextprotocol/server";
import { LineReader } from "./lines.ts";

export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

/**
 * The SDK's own stdio transport closes the connection on a line that is too long and stays silent on one it
 * cannot read. This one answers both and goes on.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly input: NodeJS.ReadableStream;
  private readonly write: NodeJS.WritableStream["write"];
  private closed = false;
  /** Answers that are ready together leave together: a write takes as long as half a call. */
  private unsent = "";
  private readonly lines = new LineReader(
    MAX_MESSAGE_BYTES,
    (line) => this.receive(line),
    (why) => this.refuse(ProtocolErrorCode.ParseError, why),
  );

  constructor(input: NodeJS.ReadableStream, write: NodeJS.WritableStream["write"]) {
    this.input = input;
    this.write = write;
  }

  async start(): Promise<void> {
    this.input.on("data", (chunk: Buffer) => this.lines.push(chunk));
    this.input.on("end", () => void this.close());
    this.input.on("close", () => void this.close());
    this.input.on("error", () => void this.close());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.closed) return;
    if (this.unsent === "") process.nextTick(() => this.flush());
    this.unsent += `${JSON.stringify(message)}\n`;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.flush();
    this.onclose?.();
  }

  private flush(): void {
    const text = this.unsent;
    this.unsent = "";
    // A client that no longer reads has gone.
    if (text !== "") this.write(text, (error) => error && void this.close());
  }

  private receive(line: string): void {
    const message = messageOf(line);
    if (typeof message === "string") this.refuse(ProtocolErrorCode.ParseError, message);
    else this.onmessage?.(message);
  }

  private refuse(code: ProtocolErrorCode, why: string): void {
    // A message that cannot be read has no id to answer to; the protocol then leaves it out.
    void this.send({
      jsonrpc: "2.0",
      error: { code, message: `Cannot read a message: ${why}.` },
    } as JSONRPCMessage);
  }
}

/** The message in a line, or why there is none. */
function messageOf(line: string): JSONRPCMessage | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return "the message is not JSON";
  }
  if (isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value)) return value;
  return "the message is not JSON-RPC 2.0";
}
