import {
  type CommandContext,
  type CommandFailure,
  type CommandOutcome,
  EXIT,
  type Report,
  untilStopped,
} from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { McpApp } from "../mcp/app.ts";
import type { HttpServing } from "../mcp/http.ts";

/** The option of a command that serves. */
export const httpOption = {
  kind: "value",
  placeholder: "[HOST:]PORT",
  describe: "Serve over HTTP; host and port default to the configuration",
  whenBare: "",
} as const;

interface Address {
  readonly host: string;
  readonly port: number;
}

/** A server as the command that serves it knows it. */
export interface ServeAppOptions {
  /** The name of the program, which begins every error message. */
  readonly name: string;
  readonly app: McpApp;
  /** Stops what the server started. */
  readonly close: () => Promise<void>;
  /** The value of `--http`; undefined serves on stdin and stdout. */
  readonly http: string | undefined;
  /** Where to listen when `--http` names no host or no port. */
  readonly fallback: Address;
  readonly token: string | undefined;
  /** How to fix a server that would be reachable from other machines without a token. */
  readonly fix: string;
  /** Printed when clients can connect over HTTP. */
  readonly welcome: (url: string) => Pick<Report, "text" | "json">;
  /** Work that the server begins by itself once clients can connect. */
  readonly wake: () => Promise<void>;
}

/** Serves one client on stdin and stdout, or many over HTTP until the person stops it. */
export async function serveApp(
  { name, app, close, http, fallback, token, fix, welcome, wake }: ServeAppOptions,
  { terminal, signal, isJson }: CommandContext<unknown, unknown>,
): Promise<CommandOutcome> {
  const onError = (error: Error) => terminal.err(`${name}: ${error.message}\n`);
  if (http === undefined) {
    const { serveStdio } = await import("../mcp/stdio.ts");
    serveStdio(app, { onEnd: close, onError });
    await wake();
    return ok(undefined);
  }
  const address = parseAddress(http, fallback);
  if (!address.ok) return address;
  const served = await listen(app, { ...address.value, ...(token !== undefined && { token }), onError }, fix);
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

async function listen(
  app: McpApp,
  options: Address & { readonly token?: string; readonly onError: (error: Error) => void },
  fix: string,
): Promise<Outcome<HttpServing, CommandFailure>> {
  const { serveHttp } = await import("../mcp/http.ts");
  try {
    return ok(await serveHttp(app, options));
  } catch (error) {
    // Node throws with a code when it cannot listen; serveHttp throws without one for a public host without a token.
    const { code, message } = error as NodeJS.ErrnoException;
    return failed(
      code === undefined
        ? { message, fix }
        : { message: `${listenProblem(code, options)}.`, fix: "Name another: --http [HOST:]PORT." },
    );
  }
}

function listenProblem(code: string, { host, port }: Address): string {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} is taken`;
    case "EACCES":
      return `This user may not listen on port ${port}`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `This machine has no address ${host}`;
    default:
      return `${host}:${port} cannot be listened on (${code})`;
  }
}

/** Parses `PORT`, `HOST:PORT` or `[IPV6]:PORT`. */
function parseAddress(text: string, fallback: Address): Outcome<Address, CommandFailure> {
  if (text === "") return ok(fallback);
  const found = /^(?:(\[[^\]]+\]|[^:]+):)?(\d{1,5})$/.exec(text);
  const port = Number(found?.[2]);
  if (found === null || port > 65_535)
    return failed({
      message: `${JSON.stringify(text)} is not an address: give PORT or HOST:PORT.`,
      exitCode: EXIT.usage,
    });
  return ok({ host: found[1]?.replace(/^\[|\]$/g, "") ?? fallback.host, port });
}
