import {
  CLIENT_INFO_META_KEY,
  type Implementation,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Asking } from "../ask.ts";
import type { Caller } from "../call.ts";
import type { JsonObject } from "../json.ts";
import type { RunTools } from "../tool.ts";
import { type AskedCall, askingOf } from "./asking.ts";
import type { Connection } from "./connection.ts";
import { callerNameOf, knownPrincipal, type Principal, principalOf } from "./principal.ts";

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
    ...(principal !== undefined && { principal: principal.id }),
    ...(auth !== undefined && { principal: principalOf(auth), scopes: auth.scopes }),
  };
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
