import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { McpApp } from "./app.ts";
import type { Handshake } from "./fast-path/handshake.ts";
import type { EarlyMessages } from "./fast-path/preload-stdio.ts";
import { StdioFastPath } from "./fast-path/stdio-fast-path.ts";
import { type ClientLink, internals } from "./internals.ts";
import { newServerOf } from "./server.ts";
import type { StdioOptions } from "./stdio.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { protocolOut } from "./stdout.ts";

/** Serves stdin and stdout with the SDK, and continues a handshake that was answered before it was loaded. */
export function serveSdk(
  app: McpApp,
  { onError, telemetry, principal, fastPath = true }: StdioOptions,
  early: EarlyMessages | undefined,
) {
  const newServer = newServerOf(app);
  const transport = new StdioTransport(early?.input ?? process.stdin, protocolOut);
  transport.onlisten = app[internals].onListening;
  // A handshake that was answered early is continued in any case.
  const fast = fastPath || early !== undefined ? new StdioFastPath(transport, early) : undefined;
  const serve = ({ era }: Pick<ClientLink, "era">) => {
    const server = newServer({
      transport: "stdio",
      era,
      principal,
      ...(fast && { onCall: fast.onCall }),
      ...(telemetry && { telemetry }),
    });
    // Later, when the server is connected and has processed the handshake.
    if (early?.listed !== undefined) setImmediate(() => reportOldTools(app, early.listed, onError));
    return server;
  };
  const { close } = serveStdio(serve, {
    transport: fast ?? transport,
    ...(onError && { onerror: onError }),
  });
  return { close, drain: () => transport.drain() };
}

/** The list from before the server was loaded may be outdated, or prepared for another app: notify or report that. */
function reportOldTools(app: McpApp, listed: Handshake | undefined, onError: StdioOptions["onError"]): void {
  const { handshake, updates } = app[internals];
  if (listed === undefined || handshake === undefined || listed.tools === handshake().tools) return;
  if (listed.toolsChange) for (const listener of updates) listener.toolsChanged();
  else onError?.(new Error("The prepared list of tools is not the server's: build the server again."));
}
