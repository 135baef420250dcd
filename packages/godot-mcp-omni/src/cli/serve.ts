import { httpOptions, serveApp } from "@toolpact/contract/internal/cli";
import { tokenFile } from "../config/settings.ts";
import type { GodotServer } from "../server/server.ts";
import { openWith, settingsOf } from "./context.ts";
import { type Context, command } from "./machine.ts";

/** Delay before editors may connect, so the client's handshake comes first. */
const BRIDGE_AFTER_MS = 300;
const PORT = 8766;

export const serve = command({
  name: "serve",
  describe: "Serve an MCP client on stdin and stdout, or many over HTTP",
  options: httpOptions,
  examples: [
    { line: "godot-mcp-omni --project ~/game serve", does: "what an MCP client starts" },
    { line: "godot-mcp-omni serve --toolsets default,editor,log", does: "more tools" },
    { line: "godot-mcp-omni serve --read-only", does: "an agent may look and nothing else" },
    { line: "godot-mcp-omni serve --http 8766", does: "for several clients at once" },
    {
      line: "godot-mcp-omni --project game=./game --project tools=./tools serve",
      does: "two projects; every call names its own",
    },
  ],
  async run(options, context) {
    const settings = await settingsOf(context);
    if (!settings.ok) return settings;
    const opened = await openWith(settings.value, context);
    if (!opened.ok) return opened;
    const { app, close } = opened.value;
    return serveApp(
      {
        name: "godot-mcp-omni",
        app,
        close,
        options,
        fallback: { host: "127.0.0.1", port: PORT },
        token: settings.value.token,
        tokenFile: tokenFile(context.terminal.env, context.machine.home),
        allowedOrigins: settings.value.allowedOrigins,
        fix: "Set GODOT_MCP_TOKEN, or serve on 127.0.0.1.",
        welcome: (url, claudeOptions) => ({
          text: `godot-mcp-omni serves at ${url}

  Claude Code   claude mcp add --transport http godot ${url}${claudeOptions}

Stop with Ctrl-C.
`,
          json: { url },
        }),
        wake: () => letEditorsIn(opened.value, context),
      },
      context,
    );
  },
});

/** Opens the bridge before the first call: an open editor finds this server within seconds. */
async function letEditorsIn(server: GodotServer, { machine, terminal, signal }: Context): Promise<void> {
  await machine.pause(BRIDGE_AFTER_MS, signal);
  if (signal.aborted) return;
  for (const core of await server.cores()) {
    const project = core.project();
    // Tools report this too; this line is for the client's log.
    if (!project.ok)
      terminal.err(`godot-mcp-omni: ${project.failure.message} ${project.failure.suggestedFix ?? ""}\n`);
    const workspace = core.workspace();
    if (!workspace.ok) continue;
    await workspace.value.bridge().catch((error: Error) => {
      terminal.err(`godot-mcp-omni: editors cannot connect: ${error.message}\n`);
    });
  }
}
