import { httpOptions, serveApp } from "@toolpact/contract/cli";
import { defaultProfile } from "../../profiles.ts";
import type { TuitbotServer } from "../../server/server.ts";
import type { Context } from "../context.ts";
import { command } from "../machine.ts";
import { openServer } from "../open-server.ts";
import { servingOptions } from "../serving-options.ts";
import { serverRunner } from "./server-runner.ts";

/** Delay of background work, so that it does not slow down the handshake. */
const WAKE_AFTER_MS = 500;

export const mcpServe = command({
  name: "serve",
  describe: "Serve an MCP client on stdin and stdout, or many over HTTP",
  options: {
    ...servingOptions,
    ...httpOptions,
  },
  examples: [
    { line: "tuitbot mcp serve --profile readonly", does: "an agent can read and nothing else" },
    { line: "tuitbot mcp serve --sandbox --http", does: "try it without an account, over HTTP" },
    { line: "tuitbot mcp serve --toolsets everyday", does: "the few tools that most days need" },
    { line: "tuitbot mcp serve --toolsets read,write", does: "only these categories of the profile" },
    { line: "tuitbot mcp serve --exclude-tools x_delete_tweet", does: "everything but this tool" },
  ],
  async run(options, context) {
    const opened = await openServer(options, context);
    if (!opened.ok) return opened;
    const { app, config, close } = opened.value;
    const { host, port, token, token_file, allowed_origins } = config.values.server;
    const profile = options.profile ?? defaultProfile;
    const runner = serverRunner(opened.value, profile, context);
    return serveApp(
      {
        name: "tuitbot",
        app,
        async close() {
          await runner.stop();
          await close();
        },
        options,
        fallback: { host, port },
        token,
        tokenFile: token_file,
        allowedOrigins: allowed_origins,
        fix: "Set server.token, or serve on 127.0.0.1.",
        welcome: (url, claudeOptions) => ({
          text: welcome(url, profile, claudeOptions),
          json: { url, profile },
        }),
        async wake() {
          await wakeSoon(opened.value, context);
          runner.start();
        },
      },
      context,
    );
  },
});

function welcome(url: string, profile: string, claudeOptions: string): string {
  return `tuitbot serves the profile ${profile} at ${url}

  Claude Code   claude mcp add --transport http tuitbot ${url}${claudeOptions}
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
  const trouble = await (await core()).startBackgroundWork(signal);
  if (trouble !== undefined && !signal.aborted) terminal.err(`tuitbot: ${trouble}\n`);
}
