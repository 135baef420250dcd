import type { McpApp } from "../mcp/app.ts";
import type { HttpServing } from "../mcp/http.ts";
import { failed, type Outcome, ok } from "../outcome.ts";
import type { CommandFailure } from "./command.ts";
import { EXIT } from "./exit.ts";

/** The option of a command that serves. */
export const httpOption = {
  kind: "value",
  placeholder: "[HOST:]PORT",
  describe: "Serve over HTTP; what is left out comes from the configuration",
  whenBare: "",
} as const;

export interface Listening {
  /** What stands after `--http`. */
  readonly address: string;
  readonly fallback: { readonly host: string; readonly port: number };
  readonly token: string | undefined;
  readonly onError: (error: Error) => void;
  /** What to do where strangers could reach the server. */
  readonly fix: string;
}

/** Serves over HTTP, or says in one line why it cannot. */
export async function listen(
  app: McpApp,
  { address, fallback, token, onError, fix }: Listening,
): Promise<Outcome<HttpServing, CommandFailure>> {
  const at = addressOf(address, fallback);
  if (!at.ok) return failed({ message: at.failure, exitCode: EXIT.usage });
  const { serveHttp } = await import("../mcp/http.ts");
  try {
    return ok(await serveHttp(app, { ...at.value, ...(token !== undefined && { token }), onError }));
  } catch (error) {
    // Thrown by Node when it cannot listen, and by serveHttp for a host that strangers can reach.
    const { code, message } = error as NodeJS.ErrnoException;
    return failed(
      code === undefined
        ? { message, fix }
        : { message: `${whyNot(code, at.value)}.`, fix: "Name another: --http [HOST:]PORT." },
    );
  }
}

function whyNot(code: string, { host, port }: Listening["fallback"]): string {
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

/** Host and port of `PORT`, `HOST:PORT` or `[IPV6]:PORT`. */
function addressOf(
  text: string,
  fallback: Listening["fallback"],
): Outcome<{ readonly host: string; readonly port: number }, string> {
  if (text === "") return ok(fallback);
  const found = /^(?:(\[[^\]]+\]|[^:]+):)?(\d{1,5})$/.exec(text);
  const port = Number(found?.[2]);
  if (found === null || port > 65_535)
    return failed(`${JSON.stringify(text)} is no address: give PORT or HOST:PORT.`);
  return ok({ host: found[1]?.replace(/^\[|\]$/g, "") ?? fallback.host, port });
}
