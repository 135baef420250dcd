import "./stdout.ts";

import type { McpApp } from "./app.ts";
import { claimPreloadedStdio, type PreloadedStdio, preloadStdio } from "./fast-path/preload-stdio.ts";
import { internals } from "./internals.ts";
import type { Principal } from "./request.ts";
import { protocolOut } from "./stdout.ts";
import type { Telemetry } from "./telemetry.ts";

/** Options of a server on stdio. */
export interface StdioOptions {
  /** Called before the process ends, for example to stop children. It has half a second. */
  readonly onEnd?: () => Promise<void> | void;
  /** Time for running calls after SIGTERM or SIGINT; default 10 s. */
  readonly drainMs?: number;
  readonly onError?: (error: Error) => void;
  readonly telemetry?: Telemetry;
  /** For a client with its own token. */
  readonly principal?: Principal;
  /** False makes the SDK handle every message, for tests and debugging. */
  readonly fastPath?: boolean;
}

const PARENT_CHECK_MS = 400;
const LAST_MOMENT_MS = 500;
const DRAIN_MS = 10_000;

/** Serves one client, and ends the process when it disconnects. The SDK loads during the handshake. */
export function serveStdio(app: McpApp, options: StdioOptions = {}): void {
  const { onEnd, drainMs = DRAIN_MS } = options;
  const preloaded = claimPreloadedStdio() ?? preloadFor(app, options);
  const served = serveWhenDue(app, options, preloaded);

  let ending = false;
  const end = (exitCode: number) => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(exitCode), LAST_MOMENT_MS).unref();
    const closed = served.current()?.close();
    void Promise.allSettled([closed, onEnd?.()]).then(() => process.exit(exitCode));
  };
  process.stdin.once("end", () => end(0));
  process.stdin.once("close", () => end(0));
  process.stdout.once("error", () => end(0));
  // Stdin may have ended before these listeners were added.
  if (process.stdin.readableEnded || process.stdin.destroyed) setImmediate(() => end(0));
  // Running calls finish first. A second signal ends the process immediately.
  const drain = () => {
    setTimeout(() => end(0), drainMs).unref();
    preloaded?.loadNow();
    void served.now.then(({ drain }) => drain()).then(() => end(0));
  };
  process.once("SIGTERM", drain);
  process.once("SIGINT", drain);
  endWithParent(() => end(0));
}

/** Off if answers depend on the caller, or telemetry must see every request. */
function preloadFor(
  app: McpApp,
  { telemetry, principal, fastPath = true }: StdioOptions,
): PreloadedStdio | undefined {
  const { handshake, preload } = app[internals];
  if (!fastPath || handshake === undefined || telemetry !== undefined || principal !== undefined)
    return undefined;
  preloadStdio(handshake, (text) => {
    protocolOut(text);
    preload?.();
  });
  return claimPreloadedStdio();
}

type Served = import("./serve-client.ts").ServedClient;

function serveWhenDue(app: McpApp, options: StdioOptions, preloaded: PreloadedStdio | undefined) {
  let current: Served | undefined;
  const load = async () => {
    await preloaded?.due;
    const { serveProcess } = await import("./serve-client.ts");
    const early = preloaded?.takeOver();
    current = await serveProcess(app, options, early);
    return current;
  };
  return { now: load(), current: () => current };
}

/** A parent that dies may leave stdin open in another of its children. */
function endWithParent(end: () => void): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && end(), PARENT_CHECK_MS).unref();
}
