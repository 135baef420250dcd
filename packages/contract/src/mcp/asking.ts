import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Asking, AskKind, AskRequest, Asks, Reply } from "../ask.ts";
import { digest, type Json, type JsonObject } from "../json.ts";
import { excess } from "../limits.ts";
import type { Connection } from "./connection.ts";
import type { RequestContext } from "./request.ts";

/** Signed into a question and returned with the answer, so that the answer is valid for this call only. */
export interface BoundState {
  readonly name: string;
  readonly args: string;
  /** Unique, to detect a replayed answer. */
  readonly once: string;
  readonly state?: Json;
}

/** The call that a question and its answer are bound to. */
export interface AskedCall {
  readonly name: string;
  readonly args: object;
}

/** The user and the client of a call. Synchronous if the call carries no answer of the user. */
export function askingOf(
  connection: Connection,
  ctx: RequestContext,
  asked: AskedCall,
): Asking | Promise<Asking> {
  const bound = ctx.mcpReq.requestState<BoundState>();
  if (bound === undefined) return asking(connection, ctx, undefined, false);
  return answersTo(connection, bound, asked).then((isAnswered) => asking(connection, ctx, bound, isAnswered));
}

/** True if the answer belongs to this call and has not been used before. */
async function answersTo({ spend }: Connection, bound: BoundState, { name, args }: AskedCall) {
  return (
    bound.name === name &&
    // Arguments that are too deep or large to digest are rejected later for that reason.
    excess(args) === undefined &&
    bound.args === digest(args) &&
    spend(bound.once)
  );
}

function asking(
  connection: Connection,
  ctx: RequestContext,
  bound: BoundState | undefined,
  isAnswered: boolean,
): Asking {
  return {
    can: (kind) => capable(connection, ctx, kind),
    unreachable: connection.isStateless === true,
    reply: (key, { unasked = false } = {}) =>
      (unasked && bound === undefined) || isAnswered
        ? replyIn(ctx.mcpReq.inputResponses, key)
        : { kind: "missing" },
    state: isAnswered ? bound?.state : undefined,
  };
}

/** The result that asks the user, bound to the call. */
export async function inputRequiredOf(
  { asks, state }: Asks,
  { codec }: Connection,
  ctx: ServerContext,
  { name, args }: AskedCall,
): Promise<InputRequiredResult> {
  const bound: BoundState = {
    name,
    args: digest(args),
    once: crypto.randomUUID(),
    ...(state !== undefined && { state }),
  };
  return inputRequired({
    inputRequests: Object.fromEntries(
      Object.entries(asks).map(([key, request]) => [key, inputRequestOf(request)]),
    ),
    requestState: await (await codec()).mint(bound, ctx),
  });
}

/** Converts a question to the format of the protocol. */
export function inputRequestOf(request: AskRequest) {
  switch (request.kind) {
    case "form":
      return inputRequired.elicit({ message: request.message, requestedSchema: request.schema });
    case "url":
      return inputRequired.elicitUrl({ message: request.message, url: request.url });
    case "sample":
      return inputRequired.createMessage({
        messages: [{ role: "user", content: { type: "text", text: request.prompt } }],
        maxTokens: request.maxTokens,
      });
    case "roots":
      return inputRequired.listRoots();
  }
}

/** True if the client supports this kind of question. */
export function capable(
  { server, era }: Pick<Connection, "server" | "era">,
  ctx: RequestContext,
  kind: AskKind,
): boolean {
  const envelope = ctx.mcpReq.envelope as
    | { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities }
    | undefined;
  const capabilities =
    era === "modern" ? envelope?.[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities();
  switch (kind) {
    case "form":
      // An empty elicitation capability means forms, the only kind in earlier revisions.
      return (
        capabilities?.elicitation !== undefined &&
        (capabilities.elicitation.form !== undefined || capabilities.elicitation.url === undefined)
      );
    case "url":
      return capabilities?.elicitation?.url !== undefined;
    case "sample":
      return capabilities?.sampling !== undefined;
    case "roots":
      return capabilities?.roots !== undefined;
  }
}

/** Reads one answer from the client. */
export function replyIn(responses: Parameters<typeof inputResponse>[0], key: string): Reply {
  const view = inputResponse(responses, key);
  switch (view.kind) {
    case "missing":
      return { kind: "missing" };
    case "elicit":
      if (view.action !== "accept") return { kind: "refused", action: view.action };
      // The answer was parsed from JSON; the tool checks its shape.
      return { kind: "accepted", content: (view.content ?? {}) as JsonObject };
    case "sampling": {
      const [first] = [view.result.content].flat();
      return first?.type === "text" ? { kind: "sample", text: first.text } : { kind: "missing" };
    }
    case "roots":
      return { kind: "roots", uris: view.roots.map((root) => root.uri) };
  }
}
