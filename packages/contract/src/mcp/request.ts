import type {
  AuthInfo,
  ClientCapabilities,
  Implementation,
  ServerContext,
} from "@modelcontextprotocol/server";
import type { Asking, AskKind, Reply } from "../ask.ts";
import { excess } from "../bad-input.ts";
import type { Caller } from "../call.ts";
import { digest, isJsonObject, type Json, parseJson } from "../json.ts";
import type { Surface } from "../surface.ts";
import type { RunTools } from "../tool.ts";
import { TASKS } from "./capabilities.ts";
import type { Connection } from "./internals.ts";

// Loads nothing of the SDK, because known calls run before it is loaded.

const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
const CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

export interface RequestContext {
  readonly mcpReq: Pick<ServerContext["mcpReq"], "requestState" | "signal" | "log" | "notify"> & {
    readonly [Name in "_meta" | "envelope" | "inputResponses"]?: ServerContext["mcpReq"][Name] | undefined;
  };
  readonly http?: Pick<NonNullable<ServerContext["http"]>, "authInfo"> | undefined;
}

/** The client's metadata in a modern request. */
export type Envelope = ServerContext["mcpReq"]["envelope"] | undefined;

interface EnvelopeMembers {
  readonly [CLIENT_INFO]?: Implementation;
  readonly [CLIENT_CAPABILITIES]?: ClientCapabilities;
}

export type CallConnection = Pick<
  Connection,
  "era" | "transport" | "principal" | "isStateless" | "server" | "core" | "outputSchemas"
> & { readonly spend?: Connection["spend"] };

/** Synchronous if nothing has to be checked. */
export function runToolsOf(
  connection: CallConnection,
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
  connection: CallConnection,
  ctx: RequestContext,
  asked: AskedCall,
  isValid: () => Promise<boolean>,
): Promise<RunTools> {
  if (!(await isValid())) throw (await import("./questions.ts")).tokenEnded();
  return toolsOf(connection, ctx, await askingOf(connection, ctx, asked));
}

function toolsOf(connection: CallConnection, ctx: RequestContext, ask: Asking): RunTools {
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

export function principalFor({ principal }: CallConnection, ctx: RequestContext): Principal | undefined {
  return knownPrincipal(ctx.http?.authInfo) ?? principal;
}

/** Ignores a failed notification. The call ends by its signal. */
export function clientIsGone(): void {}

export function callerOf(
  { server, transport, era, principal }: Pick<Connection, "server" | "transport" | "era" | "principal">,
  ctx: RequestContext,
): Caller {
  const auth = ctx.http?.authInfo;
  const envelope = ctx.mcpReq.envelope as EnvelopeMembers | undefined;
  const client =
    (auth && callerNameOf(auth)) ?? envelope?.[CLIENT_INFO]?.name ?? server.getClientVersion()?.name;
  return {
    transport,
    era,
    ...(client !== undefined && { client }),
    ...workspacesIn(ctx.mcpReq._meta),
    ...(principal !== undefined && { principal: principal.id }),
    ...(auth !== undefined && { principal: principalOf(auth), scopes: auth.scopes }),
  };
}

/** Codex starts a plugin's server in the plugin's folder, and sends the user's folders with every call. */
function workspacesIn(meta: unknown): Pick<Caller, "workspaces"> {
  const sent = membersOf(meta)["x-codex-turn-metadata"];
  const turn = typeof sent === "string" ? parseJson(sent) : sent;
  const workspaces = Object.keys(membersOf(membersOf(turn).workspaces));
  return workspaces.length === 0 ? {} : { workspaces };
}

export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  // Object() gives values without members an empty object.
  return Object(value) as Record<string, unknown>;
}

/** Signed into a question: its answer is valid for this call only. */
export interface BoundState {
  readonly name: string;
  readonly args: string;
  /** Unique, to detect replays. */
  readonly once: string;
  readonly state?: Json;
}

export interface AskedCall {
  readonly name: string;
  readonly args: object;
}

/** Synchronous if the call carries no answer. */
function askingOf(
  connection: CallConnection,
  ctx: RequestContext,
  asked: AskedCall,
): Asking | Promise<Asking> {
  const bound = ctx.mcpReq.requestState<BoundState>();
  if (bound === undefined) return asking(connection, ctx, undefined, false);
  return answersTo(connection, bound, asked).then((isAnswered) => asking(connection, ctx, bound, isAnswered));
}

async function answersTo({ spend }: CallConnection, bound: BoundState, { name, args }: AskedCall) {
  return (
    bound.name === name &&
    // Arguments that are too deep or large to digest are rejected later for that reason.
    excess(args) === undefined &&
    bound.args === digest(args) &&
    (await spend?.(bound.once)) === true
  );
}

function asking(
  connection: CallConnection,
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

export function capable(
  { server, era }: Pick<Connection, "server" | "era">,
  ctx: RequestContext,
  kind: AskKind,
): boolean {
  const envelope = ctx.mcpReq.envelope as EnvelopeMembers | undefined;
  const capabilities = era === "modern" ? envelope?.[CLIENT_CAPABILITIES] : server.getClientCapabilities();
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

export function knowsTasks({ era }: Pick<Connection, "era">, envelope: Envelope): boolean {
  const capabilities = (envelope as EnvelopeMembers | undefined)?.[CLIENT_CAPABILITIES];
  return era === "modern" && capabilities?.extensions?.[TASKS] !== undefined;
}

/** The answer is not validated here. */
export function replyIn(responses: unknown, key: string): Reply {
  const answer = membersOf(membersOf(responses)[key]);
  const { action, content, roots, role } = answer;
  if (Array.isArray(answer)) return { kind: "missing" };
  if (action === "decline" || action === "cancel") return { kind: "refused", action };
  // Parsed from JSON; the tool checks its shape.
  if (action === "accept") return { kind: "accepted", content: isJsonObject(content) ? content : {} };
  if (Array.isArray(roots)) return { kind: "roots", uris: roots.flatMap(uriOf) };
  if (typeof role !== "string" || content === undefined) return { kind: "missing" };
  const { type, text } = membersOf([content].flat()[0]);
  return type === "text" && typeof text === "string" ? { kind: "sample", text } : { kind: "missing" };
}

function uriOf(root: unknown): readonly string[] {
  const { uri } = membersOf(root);
  return typeof uri === "string" ? [uri] : [];
}

/** The handler checks them, to load no schema library at startup. */
export const anyParams = {
  "~standard": {
    version: 1,
    vendor: "toolpact",
    validate: (value: unknown) => ({ value }),
  },
} as const;

/** A caller with its own token. */
export interface Principal {
  /** A unique name for audits, such as `agent:news`; questions and sessions are bound to it. */
  readonly id: string;
  /** The tools it may use; default all. */
  readonly surface?: Surface | undefined;
  /** Checked before each request on a connection that outlives its token check, such as stdio. */
  readonly isValid?: () => Promise<boolean>;
}

export interface TokenExtra extends Record<string, unknown> {
  readonly issuer?: string;
  readonly subject?: string | undefined;
  readonly principal?: Principal;
}

/** Callers who have not signed in, if some tools need no sign-in. */
export const ANONYMOUS: Principal = { id: "anonymous" };

/** All callers who share the server's token. */
export const TOKEN_PRINCIPAL: Principal = { id: "token" };

export function knownPrincipal(auth: AuthInfo | undefined): Principal | undefined {
  // Set only by the transports of this library.
  return (auth?.extra as TokenExtra | undefined)?.principal;
}

export function authOf(token: string, principal: Principal): AuthInfo {
  return { token, clientId: principal.id, scopes: [], extra: { principal } satisfies TokenExtra };
}

/** The identity of questions and sessions: a principal, or a token's issuer, subject and client. */
export function principalOf(auth: AuthInfo): string {
  return knownPrincipal(auth)?.id ?? JSON.stringify([auth.extra?.issuer, auth.extra?.subject, auth.clientId]);
}

/** For audits; undefined for a principal, whose id is readable. */
function callerNameOf(auth: AuthInfo): string | undefined {
  if (knownPrincipal(auth) !== undefined) return undefined;
  const { clientId, extra } = auth;
  const subject = extra?.subject;
  return typeof subject === "string" && subject !== clientId ? `${clientId} for ${subject}` : clientId;
}
