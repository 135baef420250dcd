import { type CommandFailure, EXIT } from "@toolpact/contract/cli";
import type { HttpServing } from "@toolpact/contract/http";
import { failed, type Outcome, ok } from "@toolpact/contract/outcome";
import type { GodotServer } from "../server.ts";
import { openServer, settingsOf, untilStopped } from "./context.ts";
import { type Context, command } from "./machine.ts";

/** When editors are let in: after a client has had time to shake hands. */
const BRIDGE_AFTER_MS = 300;
const PORT = 8766;

export const serve = command({
  name: "serve",
  describe: "Serve an MCP client on stdin and stdout, or many over HTTP",
  options: {
    http: {
      kind: "value",
      placeholder: "[HOST:]PORT",
      describe: `Serve over HTTP; 127.0.0.1:${PORT} where left out`,
      whenBare: "",
    },
  },
  examples: [
    { line: "godot-mcp-omni --project ~/game serve", does: "what an MCP client starts" },
    { line: "godot-mcp-omni serve --toolsets default,editor,log", does: "more tools" },
    { line: "godot-mcp-omni serve --read-only", does: "an agent may look and nothing else" },
    { line: "godot-mcp-omni serve --http 8766", does: "for several clients at once" },
  ],
  async run({ http }, context) {
    const opened = await openServer(context);
    if (!opened.ok) return opened;
    return http === undefined ? overStdio(opened.value, context) : overHttp(opened.value, http, context);
  },
});

async function overStdio(server: GodotServer, context: Context) {
  const { serveStdio } = await import("@toolpact/contract/stdio");
  serveStdio(server.app, {
    onEnd: () => server.close(),
    onError: (error) => context.terminal.err(`godot-mcp-omni: ${error.message}\n`),
  });
  await letEditorsIn(server, context);
  return ok(undefined);
}

async function overHttp(server: GodotServer, address: string, context: Context) {
  const { terminal, signal, isJson } = context;
  const settings = await settingsOf(context);
  if (!settings.ok) return settings;
  const listening = await listen(server, address, settings.value.token, context);
  if (!listening.ok) return listening;
  const { url, close } = listening.value;
  terminal.out(
    isJson ? `${JSON.stringify({ url })}\n` : `godot-mcp-omni serves at ${url}\nStop with Ctrl-C.\n`,
  );
  await letEditorsIn(server, context);
  await untilStopped(signal);
  await Promise.allSettled([close(), server.close()]);
  return ok({ text: "", json: { stopped: true }, exitCode: EXIT.ok });
}

/** An editor that is open already finds this server within seconds, so the door opens before the first call. */
async function letEditorsIn(server: GodotServer, { machine, terminal, signal }: Context): Promise<void> {
  await machine.pause(BRIDGE_AFTER_MS, signal);
  if (signal.aborted) return;
  const godots = await (await server.core()).godots();
  if (!godots.ok) return;
  await godots.value.bridge().catch((error: Error) => {
    terminal.err(`godot-mcp-omni: editors cannot connect: ${error.message}\n`);
  });
}

async function listen(
  { app }: GodotServer,
  address: string,
  token: string | undefined,
  { terminal }: Context,
): Promise<Outcome<HttpServing, CommandFailure>> {
  const found = /^(?:(\[[^\]]+\]|[^:]+):)?(\d{1,5})?$/.exec(address);
  const port = Number(found?.[2] ?? PORT);
  if (found === null || port > 65_535)
    return failed({
      message: `${JSON.stringify(address)} is no address: give PORT or HOST:PORT.`,
      exitCode: EXIT.usage,
    });
  const host = found[1]?.replace(/^\[|\]$/g, "") ?? "127.0.0.1";
  const { serveHttp } = await import("@toolpact/contract/http");
  try {
    const onError = (error: Error) => terminal.err(`godot-mcp-omni: ${error.message}\n`);
    return ok(await serveHttp(app, { host, port, ...(token !== undefined && { token }), onError }));
  } catch (error) {
    // Thrown by Node when it cannot listen, and by serveHttp for a host that strangers can reach.
    const { code, message } = error as NodeJS.ErrnoException;
    return failed(
      code === "EADDRINUSE"
        ? { message: `Port ${port} is taken.`, fix: "Name another: --http PORT." }
        : { message, fix: "Set GODOT_MCP_TOKEN, or serve on 127.0.0.1." },
    );
  }
}
