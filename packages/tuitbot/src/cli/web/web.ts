import { serveApp } from "@toolpact/contract/cli";
import { command } from "../machine.ts";
import { openServer } from "../open-server.ts";
import { sandboxOptions } from "../serving-options.ts";
import { type ServedWeb, serveWeb } from "./serve-web.ts";

export const web = command({
  name: "web",
  describe: "Open the page: what waits for you, what goes out when, how it does, what it cost",
  details:
    "Serves the page on this machine and signs your browser in with a link that works once. It shows the same data as the servers and loops that run beside it; where nobody is signed in to X, that of a running sandbox.",
  options: {
    port: {
      kind: "number",
      placeholder: "PORT",
      describe: "Port on this machine; any free one by default",
      min: 0,
      max: 65_535,
    },
    "no-open": { kind: "flag", describe: "Print the link, and open no browser" },
    ...sandboxOptions,
  },
  examples: [
    { line: "tuitbot web", does: "opens the page in your browser" },
    { line: "tuitbot web --no-open --port 8091", does: "prints the link, for a browser of your choice" },
    { line: "tuitbot web --sandbox --speed 60", does: "looks around on a simulated X" },
  ],
  async run({ port = 0, "no-open": noOpen, ...sandbox }, context) {
    const opened = await openServer({ ...sandbox, profile: "write" }, context, {
      isHost: true,
      joins: "signed_out",
    });
    if (!opened.ok) return opened;
    const { app, close, config, log } = opened.value;
    const { token, token_file, allowed_origins } = config.values.server;
    let page: ServedWeb | undefined;
    let link = "";
    const served = await serveApp(
      {
        name: "tuitbot",
        app,
        close,
        options: { http: `127.0.0.1:${port}`, "no-token": false },
        fallback: { host: "127.0.0.1", port },
        token,
        tokenFile: token_file,
        allowedOrigins: allowed_origins,
        fix: "Serve on 127.0.0.1.",
        log: log.write,
        async site() {
          page = await serveWeb(opened.value, sandbox.speed ?? 1, context);
          return page?.site;
        },
        welcome(url) {
          link = page?.link(url) ?? url;
          return {
            text: `Open ${link}    # works once, for 15 minutes\nStop with Ctrl-C.\n`,
            json: { url: link },
          };
        },
        async wake() {
          if (!noOpen && !context.isJson && context.terminal.isInteractive)
            await context.machine.openPage(link);
        },
      },
      context,
    );
    if (!served.ok) await close();
    return served;
  },
});
