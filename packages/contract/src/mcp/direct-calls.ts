import type { ServerContext } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { Answer } from "../pipeline.ts";
import type { Connection } from "./connection.ts";
import type { RequestContext } from "./request.ts";
import { knowsTasks } from "./tasks.ts";
import { answerTo } from "./tool-calls.ts";

/** A call that asks for nothing but its answer, as it came off the wire. */
export interface PlainCall {
  readonly id: string | number;
  readonly name: string;
  readonly args: JsonObject;
  /** All else in the message. The SDK takes or refuses a call by this. */
  readonly form: string;
}

/** What is remembered of a form that the SDK has taken. */
export interface KnownForm {
  readonly connection: Connection;
  readonly envelope: ServerContext["mcpReq"]["envelope"] | undefined;
}

const MOST_FORMS = 500;
const LONGEST_FORM = 4_000;

/**
 * Forms of calls that have passed all checks of the SDK. A client sends the same one with nearly every call, so that
 * it need not be checked again.
 */
export class KnownForms {
  private readonly forms = new Map<string, KnownForm>();

  get(form: string): KnownForm | undefined {
    return this.forms.get(form);
  }

  learn(form: string, connection: Connection, ctx: ServerContext): void {
    // Telemetry is around requests of the SDK, and an answer may become a task of a client that knows them.
    if (connection.telemetry !== undefined || knowsTasks(connection, ctx)) return;
    if (this.forms.size >= MOST_FORMS) this.forms.clear();
    this.forms.set(form, { connection, envelope: ctx.mcpReq.envelope });
  }
}

/** The call in a message; undefined where it is none, or asks for more than its answer: progress, logs, a task, an answer of the person. */
export function plainCall(message: unknown): PlainCall | undefined {
  if (!isJsonObject(message) || message.jsonrpc !== "2.0" || message.method !== "tools/call")
    return undefined;
  const { id, params } = message;
  if (!(typeof id === "string" || Number.isSafeInteger(id)) || !isJsonObject(params)) return undefined;
  const { name, arguments: args = {}, _meta: meta } = params;
  if (typeof name !== "string" || !isJsonObject(args) || Object.hasOwn(args, "__proto__")) return undefined;
  if (meta !== undefined && (!isJsonObject(meta) || UNUSUAL.some((key) => key in meta))) return undefined;
  if (Object.keys(message).length !== MESSAGE_MEMBERS || !Object.keys(params).every(isPlainParam))
    return undefined;
  // As JSON, since a name may hold any character.
  const form = JSON.stringify([name, meta]);
  if (form.length > LONGEST_FORM) return undefined;
  // Checked above; arguments come off the wire, so they are JSON.
  return { id: id as string | number, name, args: args as JsonObject, form };
}

/** Carries out a call of a known form as the SDK's server would let it be carried out. */
export function runDirectly(
  { connection, envelope }: KnownForm,
  { name, args }: PlainCall,
  { signal, log, authInfo }: DirectContext,
): Promise<Answer> {
  const ctx: RequestContext = {
    mcpReq: { signal, log, envelope, requestState: noState, notify: nothingToSend },
    http: authInfo && { authInfo },
  };
  return answerTo(connection, { name, arguments: args }, ctx);
}

interface DirectContext {
  readonly signal: AbortSignal;
  readonly log: ServerContext["mcpReq"]["log"];
  readonly authInfo?: NonNullable<ServerContext["http"]>["authInfo"];
}

/** For clients that have not asked for logs or progress. */
export async function nothingToSend(): Promise<void> {}

const MESSAGE_MEMBERS = 4;
const UNUSUAL = ["progressToken", "io.modelcontextprotocol/logLevel"] as const;

function noState(): undefined {}

function isPlainParam(key: string): boolean {
  return key === "name" || key === "arguments" || key === "_meta";
}
