import "./stdout.ts";

import { serveStdio as serveSdkStdio } from "@modelcontextprotocol/server/stdio";
import type { McpApp } from "./app.ts";
import { internals } from "./internals.ts";
import type { Principal } from "./principal.ts";
import { StdioTransport } from "./stdio-transport.ts";
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

/** Serves one client on stdin and stdout, and ends the process when that client is gone. */
export function serveStdio(
  app: McpApp,
  { onEnd, onError, telemetry, principal, drainMs = DRAIN_MS }: StdioOptions = {},
): void {
  const { newServer, onListening } = app[internals];
  const transport = new StdioTransport(process.stdin, protocolOut);
  transport.onlisten = onListening;
  const link = { transport: "stdio", principal, ...(telemetry && { telemetry }) } as const;
  const handle = serveSdkStdio(({ era }) => newServer({ ...link, era }), {
    transport,
    ...(onError && { onerror: onError }),
  });

  let ending = false;
  const end = (exitCode: number) => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(exitCode), LAST_MOMENT_MS).unref();
    void Promise.allSettled([handle.close(), onEnd?.()]).then(() => process.exit(exitCode));
  };
  process.stdin.once("end", () => end(0));
  process.stdin.once("close", () => end(0));
  process.stdout.once("error", () => end(0));
  // The client is still there, so that it gets its answers. A second signal ends the process at once.
  const drain = () => {
    setTimeout(() => end(0), drainMs).unref();
    void transport.drain().then(() => end(0));
  };
  process.once("SIGTERM", drain);
  process.once("SIGINT", drain);
  endWithParent(() => end(0));
}

/** A parent that dies does not always close our stdin: another of its children may hold the other end. */
function endWithParent(end: () => void): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && end(), PARENT_CHECK_MS).unref();
}
