import type { ServerContext } from "@modelcontextprotocol/server";
import type { Answer, RenderedAnswer } from "../../call-state.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Connection } from "../internals.ts";
import { type CallConnection, type Envelope, knowsTasks, type RequestContext } from "../request.ts";
import { answerTo } from "../run-call.ts";

/** Requests only a result: no progress, logs, task or answer to a question. */
export interface SimpleCall {
  readonly id: string | number;
  readonly name: string;
  readonly args: JsonObject;
  readonly meta: JsonObject | undefined;
  /** Everything except id and arguments. By this the SDK accepts or rejects a call. */
  readonly shape: string;
}

/** The connection's state when a shape was accepted. */
export interface AcceptedShape {
  readonly connection: CallConnection;
  readonly envelope: Envelope;
  /** The end of every result, as the SDK writes it. */
  readonly resultEnd: string;
}

const MAX_SHAPES = 500;
const MAX_SHAPE_LENGTH = 4_000;

type ShapeConnection = CallConnection & Pick<Connection, "telemetry" | "serverInfo">;

/** Call shapes known to be valid. Most clients send one per tool. */
export class AcceptedShapes {
  private readonly shapes = new Map<string, AcceptedShape>();

  get(shape: string): AcceptedShape | undefined {
    return this.shapes.get(shape);
  }

  /** Remembers the shape of a call the SDK accepted. */
  learn(shape: string, connection: ShapeConnection, ctx: ServerContext): void {
    this.accept(shape, connection, ctx.mcpReq.envelope);
  }

  /** Remembers and returns a shape, unless its calls need the SDK. */
  accept(shape: string, connection: ShapeConnection, envelope: Envelope): AcceptedShape | undefined {
    // Telemetry wraps the SDK's requests, and a client that supports tasks may get one as the result.
    if (connection.telemetry !== undefined || knowsTasks(connection, envelope)) return undefined;
    if (this.shapes.size >= MAX_SHAPES) this.shapes.clear();
    const { era, serverInfo } = connection;
    const resultEnd =
      era === "modern"
        ? `,"resultType":"complete","_meta":${JSON.stringify({ [SERVER_INFO]: serverInfo })}`
        : "";
    const accepted = { connection, envelope, resultEnd };
    this.shapes.set(shape, accepted);
    return accepted;
  }

  clear(): void {
    this.shapes.clear();
  }
}

const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

/** Undefined if the message is anything else. */
export function simpleCall(message: unknown): SimpleCall | undefined {
  if (!isJsonObject(message) || message.jsonrpc !== "2.0" || message.method !== "tools/call")
    return undefined;
  const { id, params } = message;
  if (!(typeof id === "string" || Number.isSafeInteger(id)) || !isJsonObject(params)) return undefined;
  const { name, arguments: args = {}, _meta: meta } = params;
  if (typeof name !== "string" || !isJsonObject(args) || Object.hasOwn(args, "__proto__")) return undefined;
  if (meta !== undefined && (!isJsonObject(meta) || NOT_SIMPLE.some((key) => key in meta))) return undefined;
  if (Object.keys(message).length !== MESSAGE_MEMBERS || !Object.keys(params).every(isSimpleParam))
    return undefined;
  // JSON, because a name may contain any character.
  const shape = JSON.stringify([name, meta]);
  if (shape.length > MAX_SHAPE_LENGTH) return undefined;
  // The id was checked above, and arguments parsed from the wire are JSON.
  return {
    id: id as string | number,
    name,
    args: args as JsonObject,
    meta: meta as SimpleCall["meta"],
    shape,
  };
}

/** Runs an accepted call through the pipeline, as the SDK's handler would. */
export function runAccepted(
  { connection, envelope }: AcceptedShape,
  { name, args }: SimpleCall,
  { signal, log, authInfo }: CallContext,
): Promise<Answer> {
  const ctx: RequestContext = {
    mcpReq: { signal, log, envelope, requestState: noState, notify: sendNothing },
    http: authInfo && { authInfo },
  };
  return answerTo(connection, { name, arguments: args }, ctx);
}

interface CallContext {
  readonly signal: AbortSignal;
  readonly log: ServerContext["mcpReq"]["log"];
  readonly authInfo?: NonNullable<ServerContext["http"]>["authInfo"];
}

export async function sendNothing(): Promise<void> {}

/** Byte for byte as the SDK writes it; undefined if there is more than text, which the SDK must validate. */
export function responseText(
  { text, content, failed }: RenderedAnswer,
  { connection, resultEnd }: AcceptedShape,
  id: string | number,
): string | undefined {
  if (text === undefined || content.length > 0) return undefined;
  // The text is the JSON of the structured content.
  const structured = connection.outputSchemas ? `,"structuredContent":${text}` : "";
  const result = `{"content":[{"type":"text","text":${JSON.stringify(text)}}]${structured}${failed ? ',"isError":true' : ""}${resultEnd}}`;
  return `{"result":${result},"jsonrpc":"2.0","id":${typeof id === "number" ? id : JSON.stringify(id)}}`;
}

const MESSAGE_MEMBERS = 4;
const NOT_SIMPLE = ["progressToken", "io.modelcontextprotocol/logLevel"] as const;

function noState(): undefined {}

function isSimpleParam(key: string): boolean {
  return key === "name" || key === "arguments" || key === "_meta";
}
