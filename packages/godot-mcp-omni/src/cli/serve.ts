import { httpOption, serveApp } from "@toolpact/contract/cli";
import type { GodotServer } from "../server/server.ts";
import { type Context, command, openServer, settingsOf } from "./context.ts";

/** Delay before editors can connect, so that it does not slow down the handshake. */
const BRIDGE_AFTER_MS = 300;
const PORT = 8766;

export const serve = command({
  name: "serve",
  describe: "Serve an MCP client on stdin and stdout, or many over HTTP",
  options: {
    http: httpOption,
  },
  examples: [
    { line: "godot-mcp-omni --project ~/game serve", does: "the command that an MCP client starts" },
    { line: "godot-mcp-omni serve --toolsets default,editor,log", does: "with more tools" },
    { line: "godot-mcp-omni serve --read-only", does: "an agent can read and nothing else" },
    { line: "godot-mcp-omni serve --http 8766", does: "for several clients at once" },
  ],
  async run({ http }, context) {
    const settings = await settingsOf(context);
    if (!settings.ok) return settings;
    const opened = await openServer(context);
    if (!opened.ok) return opened;
    const { app, close } = opened.value;
    return serveApp(
      {
        name: "godot-mcp-omni",
        app,
        close,
        http,
        fallback: { host: "127.0.0.1", port: PORT },
        token: settings.value.token,
        fix: "Set GODOT_MCP_TOKEN, or serve on 127.0.0.1.",
        welcome: (url) => ({ text: `godot-mcp-omni serves at ${url}\nStop with Ctrl-C.\n`, json: { url } }),
        wake: () => acceptEditors(opened.value, context),
      },
      context,
    );
  },
});

/** Lets editors connect before the first call. An open editor finds this server within seconds. */
async function acceptEditors(server: GodotServer, { machine, terminal, signal }: Context): Promise<void> {
  await machine.pause(BRIDGE_AFTER_MS, signal);
  if (signal.aborted) return;
  const core = await server.core();
  const project = core.project();
  // Tools report this too; here it goes to the log of the client.
  if (!project.ok)
    terminal.err(`godot-mcp-omni: ${project.failure.message} ${project.failure.suggestedFix ?? ""}\n`);
  const godots = core.godots();
  if (!godots.ok) return;
  await godots.value.bridge().catch((error: Error) => {
    terminal.err(`godot-mcp-omni: editors cannot connect: ${error.message}\n`);
  });
}
