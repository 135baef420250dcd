import type { AgentAccess } from "../app/first-steps.ts";
import type { TuitbotServer } from "../server/server.ts";
import type { ServedSignIn } from "../web/client-sign-in.ts";
import { type ServedWeb, serveWeb } from "../web/serve-web.ts";
import type { Context } from "./context.ts";

/** Serves the dashboard of a server. Its set-up is that of `tuitbot init`, which asks in the browser. */
export function serveDashboard(
  server: TuitbotServer,
  speed: number,
  access: AgentAccess,
  context: Context,
  clients?: ServedSignIn,
): Promise<ServedWeb | undefined> {
  const { machine, terminal, signal } = context;
  return serveWeb(server, {
    access,
    clients,
    speed,
    now: machine.now,
    onError: (message) => terminal.err(`tuitbot: ${message}\n`),
    signal,
    async runSetup(account, { prompts, openPage, print, ask }, stopped) {
      const { guide } = await import("./init/guide.ts");
      return guide({
        ...context,
        ...(account !== server.config.account && { globals: { ...context.globals, account } }),
        isJson: false,
        signal: stopped,
        machine: { ...machine, prompts: async () => prompts, openPage },
        terminal: { ...terminal, isInteractive: true, hasColor: false, out: print, err: print, ask },
      });
    },
  });
}
