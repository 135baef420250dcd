import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { McpApp } from "./app.ts";
import type { EarlyTalk } from "./early-stdio.ts";
import { type ClientLink, internals } from "./internals.ts";
import { newServerOf } from "./new-server.ts";
import type { Opening } from "./opening.ts";
import type { StdioOptions } from "./stdio.ts";
import { StdioCalls } from "./stdio-calls.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { protocolOut } from "./stdout.ts";

/** Serves stdin and stdout with the SDK, from where an opening has come to. */
export function serveSdk(
  app: McpApp,
  { onError, telemetry, principal }: StdioOptions,
  before: EarlyTalk | undefined,
) {
  const newServer = newServerOf(app);
  const transport = new StdioTransport(process.stdin, protocolOut, before);
  transport.onlisten = app[internals].onListening;
  const calls = new StdioCalls();
  transport.calls = calls;
  const link = {
    transport: "stdio",
    principal,
    onCall: calls.onCall,
    ...(telemetry && { telemetry }),
  } as const;
  const serve = ({ era }: Pick<ClientLink, "era">) => {
    const server = newServer({ ...link, era });
    // Once it is connected, and has heard what was said before.
    if (before?.listed !== undefined) setImmediate(() => tellOfNewTools(app, before.listed, onError));
    return server;
  };
  const { close } = serveStdio(serve, {
    transport,
    ...(onError && { onerror: onError }),
  });
  return { close, drain: () => transport.drain() };
}

/**
 * A list that was answered before there was a server that could tell of a change may be an old one by now, or one that
 * was prepared for another app.
 */
function tellOfNewTools(app: McpApp, listed: Opening | undefined, onError: StdioOptions["onError"]): void {
  const { opening, updates } = app[internals];
  if (listed === undefined || opening === undefined || listed.tools === opening().tools) return;
  if (listed.toolsChange) for (const listener of updates) listener.toolsChanged();
  else onError?.(new Error("The list of tools that was prepared is not the server's own: build it again."));
}
