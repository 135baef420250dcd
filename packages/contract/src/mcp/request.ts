import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Asking, AskKind, AskRequest, Asks, Reply } from "../ask.ts";
import { excess } from "../bad-input.ts";
import type { Caller } from "../call.ts";
import { digest, type Json, type JsonObject, parseJson } from "../json.ts";
import type { Surface } from "../surface.ts";
import type { RunTools } from "../tool.ts";
import type { Connection } from "./internals.ts";

/** The part of the SDK's request context that we use. */
export interface RequestContext {
  readonly mcpReq: Pick<ServerContext["mcpReq"], "requestState" | "signal" | "log" | "notify"> & {
    readonly [Name in "_meta" | "envelope" | "inputResponses"]?: ServerContext["mcpReq"][Name] | undefined;
  };
  readonly http?: Pick<NonNullable<ServerContext["http"]>, "authInfo"> | undefined;
}

/** The run tools for a request: its signal, caller, questions, logs and progress. Synchronous if nothing has to be checked. */
export function runToolsOf(
  connection: Connection,
  ctx: RequestContext,
  asked: AskedCall,
): RunTools | Promise<RunTools> {
  const { isValid } = principalFor(connection, ctx) ?? {};
  if (isValid !== undefined) return checkedTools(connection, ctx, asked, isValid);
  const ask = askingOf(connection, ctx, asked);
  return ask instanceof Promise
    ? ask.then((answered) => toolsOf(connection, ctx, answered))
    : toolsOf(connection, ctx, ask);
}

async function checkedTools(
  connection: Connection,
  ctx: RequestContext,
  asked: AskedCall,
  isValid: () => Promise<boolean>,
): Promise<RunTools> {
  if (!(await isValid()))
    throw new ProtocolError(
      ProtocolErrorCode.InvalidRequest,
      "The token of this connection is not valid any more: it was revoked, replaced or has expired.",
    );
  return toolsOf(connection, ctx, await askingOf(connection, ctx, asked));
}

function toolsOf(connection: Connection, ctx: RequestContext, ask: Asking): RunTools {
  const token = ctx.mcpReq._meta?.progressToken;
  return {
    signal: ctx.mcpReq.signal,
    caller: callerOf(connection, ctx),
    ask,
    log: (level, message) => void ctx.mcpReq.log(level, message).catch(clientIsGone),
    progress({ done, total, message }) {
      if (token === undefined) return;
      const params = {
        progressToken: token,
        progress: done,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message }),
      };
      void ctx.mcpReq.notify({ method: "notifications/progress", params }).catch(clientIsGone);
    },
  };
}

/** The principal of a request, if the product knows it. */
export function principalFor({ principal }: Connection, ctx: RequestContext): Principal | undefined {
  return knownPrincipal(ctx.http?.authInfo) ?? principal;
}

/** Drops a notification to a client that has disconnected. The call itself ends by its signal. */
export function clientIsGone(): void {}

export function callerOf(
  { server, transport, era, principal }: Pick<Connection, "server" | "transport" | "era" | "principal">,
  ctx: RequestContext,
): Caller {
  const auth = ctx.http?.authInfo;
  const envelope = ctx.mcpReq.envelope as { readonly [CLIENT_INFO_META_KEY]?: Implementation } | undefined;
  const client =
    (auth && callerNameOf(auth)) ?? envelope?.[CLIENT_INFO_META_KEY]?.name ?? server.getClientVersion()?.name;
  return {
    transport,
    era,
    ...(client !== undefined && { client }),
    ...workspacesIn(ctx.mcpReq._meta),
    ...(principal !== undefined && { principal: principal.id }),
    ...(auth !== undefined && { principal: principalOf(auth), scopes: auth.scopes }),
  };
}

/** Codex starts the server of a plugin in the plugin's folder, and names the person's folders with every call. */
function workspacesIn(meta: unknown): Pick<Caller, "workspaces"> {
  const sent = membersOf(meta)["x-codex-turn-metadata"];
  const turn = typeof sent === "string" ? parseJson(sent) : sent;
  const workspaces = Object.keys(membersOf(membersOf(turn).workspaces));
  return workspaces.length === 0 ? {} : { workspaces };
}

/** The error for a request with wrong params. */
export function invalid(message: string, data?: JsonObject): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, data);
}

/** The members of a value from the wire; none if it is not an object. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  // Object() gives values without members an empty object.
  return Object(value) as Record<string, unknown>;
}

/** Signed into a question and returned with the answer, so that the answer is valid for this call only. */
export interface BoundState {
  readonly name: string;
  readonly args: string;
  /** Unique, to detect a replayed answer. */
  readonly once: string;
  readonly state?: Json;
}

/** The call that a question and its answer are bound to. */
interface AskedCall {
  readonly name: string;
  readonly args: object;
}

/** The user and the client of a call. Synchronous if the call carries no answer of the user. */
function askingOf(connection: Connection, ctx: RequestContext, asked: AskedCall): Asking | Promise<Asking> {
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

/** Params that the handler checks itself, so that no schema library has to be loaded at the start. */
export const anyParams = {
  "~standard": {
    version: 1,
    vendor: "toolpact",
    validate: (value: unknown) => ({ value }),
  },
} as const;

/** A caller with its own token, as the product knows it. */
export interface Principal {
  /** A unique name for audits; questions and sessions are bound to it. Example: `agent:news` */
  readonly id: string;
  /** The part of the app that it may use; everything by default. */
  readonly surface?: Surface | undefined;
  /** Checked before each request on a connection that outlives its token check, such as stdio. */
  readonly isValid?: () => Promise<boolean>;
}

/** Our fields in the SDK's token info. */
export interface TokenExtra extends Record<string, unknown> {
  readonly issuer?: string;
  readonly subject?: string | undefined;
  /** The product's principal for this token. */
  readonly principal?: Principal;
}

/** The principal of callers who have not signed in, if some tools need no sign-in. */
export const ANONYMOUS: Principal = { id: "anonymous" };

/** The principal of all callers that share the server's token. */
export const TOKEN_PRINCIPAL: Principal = { id: "token" };

/** The product's principal for the token of a request, if there is one. */
export function knownPrincipal(auth: AuthInfo | undefined): Principal | undefined {
  // Set only by the transports of this library.
  return (auth?.extra as TokenExtra | undefined)?.principal;
}

/** Token info for a principal of the product. */
export function authOf(token: string, principal: Principal): AuthInfo {
  return { token, clientId: principal.id, scopes: [], extra: { principal } satisfies TokenExtra };
}

/** The identity that questions and sessions are bound to: a principal, or issuer, subject and client of an OAuth token. */
export function principalOf(auth: AuthInfo): string {
  return knownPrincipal(auth)?.id ?? JSON.stringify([auth.extra?.issuer, auth.extra?.subject, auth.clientId]);
}

/** The identity for audits; undefined for a principal, whose id is readable already. */
function callerNameOf(auth: AuthInfo): string | undefined {
  if (knownPrincipal(auth) !== undefined) return undefined;
  const { clientId, extra } = auth;
  const subject = extra?.subject;
  return typeof subject === "string" && subject !== clientId ? `${clientId} for ${subject}` : clientId;
}
