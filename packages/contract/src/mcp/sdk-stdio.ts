import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { McpApp } from "./app.ts";
import type { EarlyTalk } from "./early-stdio.ts";
import { type ClientLink, internals } from "./internals.ts";
import { newServerOf } from "./new-server.ts";
import type { Opening } from "./opening.ts";
import type { StdioOptions } from "./stdio.ts";
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
  const link = { transport: "stdio", principal, ...(telemetry && { telemetry }) } as const;
  const serve = ({ era }: Pick<ClientLink, "era">) => {
    const server = newServer({ ...link, era });
    // Once it is connected, and has heard what was said before.
    if (before?.listed !== undefined) setImmediate(() => tellOfNewTools(app, before.listed));
    return server;
  };
  const { close } = serveStdio(serve, {
    transport,
    ...(onError && { onerror: onError }),
  });
  return { close, drain: () => transport.drain() };
}

/** A list that was answered before there was a server that could tell of a change may be an old one by now. */
function tellOfNewTools(app: McpApp, listed: Opening | undefined): void {
  const { opening, updates } = app[internals];
  if (!listed?.toolsChange || opening === undefined || listed.tools === opening().tools) return;
  for (const listener of updates) listener.toolsChanged();
}
