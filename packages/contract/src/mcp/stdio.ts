import "./stdout.ts";

import type { McpApp } from "./app.ts";
import { claimEarlyStdio, type EarlyStdio, openStdio } from "./early-stdio.ts";
import { internals } from "./internals.ts";
import type { Principal } from "./principal.ts";
import { protocolOut } from "./stdout.ts";
import type { Telemetry } from "./telemetry.ts";

/** What a server on stdio does beside serving. */
export interface StdioOptions {
  /** Ends what the server started, such as child processes. It has most of a second. */
  readonly onEnd?: () => Promise<void> | void;
  /** For so long, calls that are under way when the process is told to end may go on; ten seconds by default. */
  readonly drainMs?: number;
  readonly onError?: (error: Error) => void;
  readonly telemetry?: Telemetry;
  /** Whom the one client is, where it came with a token of its own. */
  readonly principal?: Principal;
}

const PARENT_CHECK_MS = 400;
const LAST_MOMENT_MS = 500;
const DRAIN_MS = 10_000;

/**
 * Serves one client on stdin and stdout, and ends the process when that client is gone. The handshake and the first list
 * of tools are answered before the SDK is loaded, which takes longer than all else at the start.
 */
export function serveStdio(app: McpApp, options: StdioOptions = {}): void {
  const { onEnd, drainMs = DRAIN_MS } = options;
  const early = claimEarlyStdio() ?? openingFor(app, options);
  const served = serveLater(app, options, early);

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
  // It may have ended before anybody here listened.
  if (process.stdin.readableEnded || process.stdin.destroyed) setImmediate(() => end(0));
  // The client is still there, so that it gets its answers. A second signal ends the process at once.
  const drain = () => {
    setTimeout(() => end(0), drainMs).unref();
    early?.hurry();
    void served.now.then(({ drain }) => drain()).then(() => end(0));
  };
  process.once("SIGTERM", drain);
  process.once("SIGINT", drain);
  endWithParent(() => end(0));
}

/** Answers the opening, unless answers depend on who asks or every request is measured. */
function openingFor(app: McpApp, { telemetry, principal }: StdioOptions): EarlyStdio | undefined {
  const { opening } = app[internals];
  if (opening === undefined || telemetry !== undefined || principal !== undefined) return undefined;
  openStdio(opening, (text) => protocolOut(text));
  return claimEarlyStdio();
}

type Served = ReturnType<typeof import("./sdk-stdio.ts")["serveSdk"]>;

function serveLater(app: McpApp, options: StdioOptions, early: EarlyStdio | undefined) {
  let current: Served | undefined;
  const load = async () => {
    await early?.due;
    const { serveSdk } = await import("./sdk-stdio.ts");
    current = serveSdk(app, options, early?.takeOver());
    return current;
  };
  return { now: load(), current: () => current };
}

/** A parent that dies does not always close our stdin: another of its children may hold the other end. */
function endWithParent(end: () => void): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && end(), PARENT_CHECK_MS).unref();
}
