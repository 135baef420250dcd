import {
  CLIENT_INFO_META_KEY,
  type Implementation,
  type McpRequestContext,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Caller } from "../call.ts";
import type { RunTools } from "../tool.ts";
import { type AskedCall, askingOf } from "./asking.ts";
import { callerNameOf } from "./principal.ts";
import type { SpentAnswers } from "./spent-answers.ts";

/** What a tool, resource or prompt can do through the client that asked for it. */
export function runToolsOf(
  server: Server,
  ctx: ServerContext,
  era: McpRequestContext["era"],
  asked: AskedCall,
  spent: SpentAnswers,
): RunTools {
  const token = ctx.mcpReq._meta?.progressToken;
  return {
    signal: ctx.mcpReq.signal,
    ask: askingOf(server, ctx, era, asked, spent),
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

/** News for a client that has gone reaches nobody; the call itself ends through its signal. */
export function clientIsGone(): void {}

export function callerOf(server: Server, ctx: ServerContext, transport: Caller["transport"]): Caller {
  const auth = ctx.http?.authInfo;
  const envelope = ctx.mcpReq.envelope as { readonly [CLIENT_INFO_META_KEY]?: Implementation } | undefined;
  const client =
    (auth && callerNameOf(auth)) ?? envelope?.[CLIENT_INFO_META_KEY]?.name ?? server.getClientVersion()?.name;
  return {
    transport,
    ...(client !== undefined && { client }),
    ...(auth !== undefined && { scopes: auth.scopes }),
  };
}
