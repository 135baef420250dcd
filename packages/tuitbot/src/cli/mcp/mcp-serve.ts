import { existsSync } from "node:fs";
import { httpOptions, serveApp } from "@toolpact/contract/cli";
import { isWorkflowProfile } from "../../profiles.ts";
import type { TuitbotServer } from "../../server/server.ts";
import { type Context, loadedConfig } from "../context.ts";
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
    const opened = await openServer(options, context, { isHost: true });
    if (!opened.ok) return opened;
    const { app, config, close, isSandbox, profile } = opened.value;
    const { host, port, token, token_file, allowed_origins } = config.values.server;
    const approve = isSandbox && (await isSignedIn(context)) ? "approve --sandbox" : "approve";
    const runner = serverRunner(opened.value, options.speed ?? 1, context);
    const served = await serveApp(
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
          text: [
            `tuitbot serves the profile ${profile} at ${url}${isSandbox ? onSandbox(options.speed) : "."}`,
            "",
            ...nextSteps(`${url}${claudeOptions}`, opened.value, approve),
            "Stop with Ctrl-C.\n",
          ].join("\n"),
          json: { url, profile },
        }),
        async wake() {
          await wakeSoon(opened.value, context);
          runner.start();
        },
      },
      context,
    );
    // What could not be served is closed here; what was closes itself when it ends.
    if (!served.ok) await close();
    return served;
  },
});

function onSandbox(speed = 1): string {
  const pace = speed === 1 ? "" : ` Its clock runs ${speed} times as fast as yours.`;
  return ` on the sandbox, a simulated X.${pace}`;
}

/** What a person does next, in this order. */
function nextSteps(client: string, { config, isSandbox, profile }: TuitbotServer, approve: string): string[] {
  const connect = `  1. Connect    claude mcp add --transport http tuitbot ${client}`;
  const what = isSandbox ? "posts about sourdough" : "posts";
  if (!isWorkflowProfile(profile)) return [connect, `  2. Ask        "Find ${what} worth a reply."`, ""];
  const question = `Find ${what} worth a reply, propose a reply to the best one and a post of my own, and when I have approved them, say how they do.`;
  return [
    connect,
    `  2. Ask        "${question}"`,
    `  3. Approve    npx tuitbot ${approve}    in a second terminal`,
    "",
    ...(config.approvalMode ? ["Nothing is posted before you approve it."] : []),
  ];
}

/** Whether commands that are not told otherwise work for an account of X. */
async function isSignedIn(context: Context): Promise<boolean> {
  const config = await loadedConfig(context);
  return config.ok && existsSync(config.value.values.auth.token_file);
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
