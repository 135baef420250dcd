import { type CommandFailure, EXIT } from "@toolpact/contract/cli";
import type { HttpServing } from "@toolpact/contract/http";
import { failed, type Outcome, ok } from "@toolpact/contract/outcome";
import { defaultProfile } from "../profiles.ts";
import type { TuitbotServer } from "../server.ts";
import { type Context, untilStopped } from "./context.ts";
import { command } from "./machine.ts";
import { openServer } from "./open-server.ts";
import { servingOptions } from "./serving-options.ts";

/** When the sign-in is tried out in the background: after a client has had time to shake hands. */
const VERIFY_AFTER_MS = 500;

export const mcpServe = command({
  name: "serve",
  describe: "Serve an MCP client on stdin and stdout, or many over HTTP",
  options: {
    ...servingOptions,
    http: {
      kind: "value",
      placeholder: "[HOST:]PORT",
      describe: "Serve over HTTP; server.host and server.port of the configuration where left out",
      whenBare: "",
    },
  },
  examples: [
    { line: "tuitbot mcp serve --profile readonly", does: "an agent may look and nothing else" },
    { line: "tuitbot mcp serve --sandbox --http", does: "try it without an account, over HTTP" },
    { line: "tuitbot mcp serve --toolsets read,write", does: "only these categories of the profile" },
    { line: "tuitbot mcp serve --exclude-tools x_delete_tweet", does: "everything but this tool" },
  ],
  async run(options, context) {
    const opened = await openServer(options, context);
    if (!opened.ok) return opened;
    return options.http === undefined
      ? overStdio(opened.value, context)
      : overHttp(opened.value, options.http, options.profile ?? defaultProfile, context);
  },
});

async function overStdio(server: TuitbotServer, context: Context) {
  const { serveStdio } = await import("@toolpact/contract/stdio");
  serveStdio(server.app, { onError: (error) => context.terminal.err(`tuitbot: ${error.message}\n`) });
  await verifySoon(server, context);
  return ok(undefined);
}

async function overHttp(server: TuitbotServer, address: string, profile: string, context: Context) {
  const { terminal, signal, isJson } = context;
  const listening = await listen(server, address, context);
  if (!listening.ok) return listening;
  const { url, close } = listening.value;
  terminal.out(isJson ? `${JSON.stringify({ url, profile })}\n` : welcome(url, profile));
  await verifySoon(server, context);
  await untilStopped(signal);
  await close();
  return ok({ text: "", json: { stopped: true }, exitCode: EXIT.ok });
}

async function listen(
  { app, config }: TuitbotServer,
  address: string,
  { terminal }: Context,
): Promise<Outcome<HttpServing, CommandFailure>> {
  const { host, port, token } = config.values.server;
  const at = addressOf(address, { host, port });
  if (!at.ok) return failed({ message: at.failure, exitCode: EXIT.usage });
  const { serveHttp } = await import("@toolpact/contract/http");
  try {
    const onError = (error: Error) => terminal.err(`tuitbot: ${error.message}\n`);
    return ok(await serveHttp(app, { ...at.value, ...(token !== undefined && { token }), onError }));
  } catch (error) {
    // Thrown by Node when it cannot listen, and by serveHttp for a host that strangers can reach.
    const { code, message } = error as NodeJS.ErrnoException;
    return failed(
      code === "EADDRINUSE"
        ? { message: `Port ${at.value.port} is taken.`, fix: "Name another: --http PORT." }
        : { message },
    );
  }
}

function welcome(url: string, profile: string): string {
  return `tuitbot serves the profile ${profile} at ${url}

  Claude Code   claude mcp add --transport http tuitbot ${url}
  then ask      "What are people on X saying about sourdough? Score the best post, and post a thread of your own."

Stop with Ctrl-C.
`;
}

/** Host and port of `PORT`, `HOST:PORT` or `[IPV6]:PORT`; what is left out comes from the configuration. */
function addressOf(
  text: string,
  fallback: { readonly host: string; readonly port: number },
): Outcome<{ host: string; port: number }, string> {
  if (text === "") return ok(fallback);
  const found = /^(?:(\[[^\]]+\]|[^:]+):)?(\d{1,5})$/.exec(text);
  const port = Number(found?.[2]);
  if (found === null || port > 65_535)
    return failed(`${JSON.stringify(text)} is no address: give PORT or HOST:PORT.`);
  return ok({ host: found[1]?.replace(/^\[|\]$/g, "") ?? fallback.host, port });
}

/** A sign-in that X refuses is worth a line where the operator looks; tools say the same when they are called. */
async function verifySoon({ core }: TuitbotServer, { machine, terminal, signal }: Context): Promise<void> {
  await machine.pause(VERIFY_AFTER_MS, signal);
  if (signal.aborted) return;
  const connection = await (await core()).connection(signal);
  if (connection.status !== "ok") terminal.err(`tuitbot: ${connection.message} ${connection.fix}\n`);
}
