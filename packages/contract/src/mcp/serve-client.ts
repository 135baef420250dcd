import type { McpApp } from "./app.ts";
import { partsWithoutSdk } from "./fast-path/early-parts.ts";
import type { Handshake } from "./fast-path/handshake.ts";
import type { EarlyMessages } from "./fast-path/preload-stdio.ts";
import { StdioFastPath } from "./fast-path/stdio-fast-path.ts";
import { internals } from "./internals.ts";
import type { StdioOptions } from "./stdio.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { protocolOut } from "./stdout.ts";

export interface ServedClient {
  readonly close: () => Promise<void>;
  /** Refuses new requests and resolves when earlier ones are answered. */
  readonly drain: () => Promise<void>;
}

/** Continues a handshake that was answered before this was loaded. */
export function serveProcess(
  app: McpApp,
  options: StdioOptions,
  early: EarlyMessages | undefined,
): Promise<ServedClient> {
  return serveClient(app, options, new StdioTransport(early?.input ?? process.stdin, protocolOut), early);
}

/** The SDK is loaded for the first message that the fast path does not answer. */
export async function serveClient(
  app: McpApp,
  options: StdioOptions,
  transport: StdioTransport,
  early?: EarlyMessages,
): Promise<ServedClient> {
  transport.onlisten = app[internals].onListening;
  // An early handshake is continued in any case.
  if (options.fastPath === false && early === undefined) {
    const { connectSdk } = await import("./sdk-stdio.ts");
    const { close } = connectSdk(app, options, transport);
    return { close, drain: () => transport.drain() };
  }
  let close = () => transport.close();
  const { telemetry, principal } = options;
  // Answers depend on a caller with its own token.
  const parts = principal === undefined ? partsWithoutSdk(app, telemetry) : undefined;
  const fast: StdioFastPath = new StdioFastPath(transport, {
    early: parts,
    answered: early?.answered,
    async connect() {
      const { connectSdk } = await import("./sdk-stdio.ts");
      close = connectSdk(app, options, fast, fast.onCall).close;
    },
  });
  await fast.listen();
  app[internals].preload?.();
  if (early?.listed !== undefined) setImmediate(() => reportOldTools(app, early.listed, options.onError));
  return { close: () => close(), drain: () => transport.drain() };
}

/** An early list may be outdated, or prepared for another app. */
function reportOldTools(app: McpApp, listed: Handshake | undefined, onError: StdioOptions["onError"]): void {
  const { handshake, updates } = app[internals];
  if (listed === undefined || handshake === undefined || listed.tools === handshake().tools) return;
  if (listed.toolsChange) for (const listener of updates) listener.toolsChanged();
  else onError?.(new Error("The prepared list of tools is not the server's: build the server again."));
}
