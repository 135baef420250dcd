import type { McpApp } from "../mcp/app.ts";
import { ok } from "../outcome.ts";
import type { CommandContext, CommandOutcome, Report } from "./command.ts";
import { EXIT } from "./exit.ts";
import { type Listening, listen } from "./listen.ts";
import { untilStopped } from "./until-stopped.ts";

/** A server as the command that serves it knows it. */
export interface Serving extends Pick<Listening, "fallback" | "token" | "fix"> {
  /** Of the program, before every complaint. */
  readonly name: string;
  readonly app: McpApp;
  /** Ends what the server started. */
  readonly close: () => Promise<void>;
  /** What stands after `--http`; without it the server speaks on stdin and stdout. */
  readonly http: string | undefined;
  /** Printed once clients can connect over HTTP. */
  readonly welcome: (url: string) => Pick<Report, "text" | "json">;
  /** What the server does by itself once it can be reached. */
  readonly wake: () => Promise<void>;
}

/** Serves one client on stdin and stdout, or many over HTTP until the person stops it. */
export async function serveApp(
  { name, app, close, http, welcome, wake, ...listening }: Serving,
  { terminal, signal, isJson }: CommandContext<unknown, unknown>,
): Promise<CommandOutcome> {
  const onError = (error: Error) => terminal.err(`${name}: ${error.message}\n`);
  if (http === undefined) {
    const { serveStdio } = await import("../mcp/stdio.ts");
    serveStdio(app, { onEnd: close, onError });
    await wake();
    return ok(undefined);
  }
  const served = await listen(app, { ...listening, address: http, onError });
  if (!served.ok) return served;
  try {
    const { text, json } = welcome(served.value.url);
    terminal.out(isJson ? `${JSON.stringify(json)}\n` : text);
    await wake();
    await untilStopped(signal);
  } finally {
    await served.value.close();
    await close();
  }
  return ok({ text: "", json: { stopped: true }, exitCode: EXIT.ok });
}
