import { serverNotifier } from "../notify/server-notifier.ts";
import { command } from "./machine.ts";
import { openServer } from "./open-server.ts";
import { servePage } from "./serve-page.ts";
import { pageOptions, sandboxOptions } from "./serving-options.ts";

export const web = command({
  name: "web",
  describe: "Open the dashboard: approvals, calendar, results and cost",
  details:
    "Serves the dashboard on this machine and signs your browser in with a link that works once. It shows the same data as the servers and loops that run along with it; if nobody is signed in to X, it shows a sandbox, and you can sign in from Settings. Other machines reach it at server.public_url, with a passphrase (tuitbot people add).",
  options: {
    ...pageOptions,
    "no-open": { kind: "flag", describe: "Print the link instead of opening a browser" },
    ...sandboxOptions,
  },
  examples: [
    { line: "tuitbot web", does: "opens the dashboard in your browser" },
    { line: "tuitbot web --no-open --port 8091", does: "prints the link, for a browser of your choice" },
    { line: "tuitbot web --sandbox --speed 60", does: "shows a simulated X" },
  ],
  async run({ host = "127.0.0.1", port = 0, "no-open": noOpen, ...sandbox }, context) {
    const opened = await openServer({ ...sandbox, profile: "write" }, context, {
      isHost: true,
      joins: "signed_out",
      servesAll: true,
      startsOwn: true,
    });
    if (!opened.ok) return opened;
    const speed = sandbox.speed ?? 1;
    const notifier = serverNotifier(opened.value, speed, context);
    return servePage(
      opened.value,
      {
        host,
        port,
        speed,
        async close() {
          await notifier.stop();
          await opened.value.close();
        },
        async wake(address) {
          notifier.start();
          if (!noOpen && !context.isJson && context.terminal.isInteractive && address !== undefined)
            await context.machine.openPage(address);
        },
      },
      context,
    );
  },
});
