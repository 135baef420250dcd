import { EXIT, httpOption, listen, untilStopped } from "@toolpact/contract/cli";
import { ok } from "@toolpact/contract/outcome";
import { defaultProfile } from "../profiles.ts";
import type { TuitbotServer } from "../server.ts";
import type { Context } from "./context.ts";
import { command } from "./machine.ts";
import { openServer } from "./open-server.ts";
import { servingOptions } from "./serving-options.ts";

/** When the server begins to do things by itself: after a client has had time to shake hands. */
const WAKE_AFTER_MS = 500;

export const mcpServe = command({
  name: "serve",
  describe: "Serve an MCP client on stdin and stdout, or many over HTTP",
  options: {
    ...servingOptions,
    http: httpOption,
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
  serveStdio(server.app, {
    onEnd: server.close,
    onError: (error) => context.terminal.err(`tuitbot: ${error.message}\n`),
  });
  await wakeSoon(server, context);
  return ok(undefined);
}

async function overHttp(server: TuitbotServer, address: string, profile: string, context: Context) {
  const { terminal, signal, isJson } = context;
  const { host, port, token } = server.config.values.server;
  const listening = await listen(server.app, {
    address,
    fallback: { host, port },
    token,
    fix: "Set server.token, or serve on 127.0.0.1.",
    onError: (error) => terminal.err(`tuitbot: ${error.message}\n`),
  });
  if (!listening.ok) return listening;
  const { url, close } = listening.value;
  terminal.out(isJson ? `${JSON.stringify({ url, profile })}\n` : welcome(url, profile));
  await wakeSoon(server, context);
  await untilStopped(signal);
  await close();
  await server.close();
  return ok({ text: "", json: { stopped: true }, exitCode: EXIT.ok });
}

function welcome(url: string, profile: string): string {
  return `tuitbot serves the profile ${profile} at ${url}

  Claude Code   claude mcp add --transport http tuitbot ${url}
  then ask      "Find posts about sourdough worth a reply, draft one and a post of my own, publish what I approve, and say how they do."

Stop with Ctrl-C.
`;
}

/**
 * A sign-in that X refuses, or a database that cannot be used, is worth a line where the operator looks; tools say
 * the same when they are called.
 */
async function wakeSoon({ core }: TuitbotServer, { machine, terminal, signal }: Context): Promise<void> {
  await machine.pause(WAKE_AFTER_MS, signal);
  if (signal.aborted) return;
  const trouble = await (await core()).wake(signal);
  if (trouble !== undefined && !signal.aborted) terminal.err(`tuitbot: ${trouble}\n`);
}
