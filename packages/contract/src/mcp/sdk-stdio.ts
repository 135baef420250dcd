import type { Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { McpApp } from "./app.ts";
import type { ClientLink, OnCall } from "./internals.ts";
import { newServerOf } from "./server.ts";
import type { StdioOptions } from "./stdio.ts";

export function connectSdk(
  app: McpApp,
  { onError, telemetry, principal }: Pick<StdioOptions, "onError" | "telemetry" | "principal">,
  transport: Transport,
  onCall?: OnCall,
): { readonly close: () => Promise<void> } {
  const newServer = newServerOf(app);
  const serve = ({ era }: Pick<ClientLink, "era">) =>
    newServer({
      transport: "stdio",
      era,
      principal,
      ...(onCall && { onCall }),
      ...(telemetry && { telemetry }),
    });
  return serveStdio(serve, { transport, ...(onError && { onerror: onError }) });
}
