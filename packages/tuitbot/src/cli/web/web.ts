import { EXIT } from "@toolpact/cli";
import { serveApp } from "@toolpact/contract/cli";
import { failed } from "@toolpact/outcome";
import { isThisMachine } from "../../config/this-machine.ts";
import { command } from "../machine.ts";
import { serverNotifier } from "../notify/server-notifier.ts";
import { openServer } from "../open-server.ts";
import { sandboxOptions } from "../serving-options.ts";
import { publicPlaceOf, readTls } from "./public-place.ts";
import { type PageAddresses, type ServedWeb, serveWeb } from "./serve-web.ts";

export const web = command({
  name: "web",
  describe: "Open the page: what waits for you, what goes out when, how it does, what it cost",
  details:
    "Serves the page on this machine and signs your browser in with a link that works once. It shows the same data as the servers and loops that run beside it; where nobody is signed in to X, that of a sandbox, from which its Set-up signs you in. Other machines reach it at server.public_url, with a passphrase (tuitbot people add).",
  options: {
    host: {
      kind: "value",
      placeholder: "HOST",
      describe:
        "Host to listen on, 127.0.0.1 by default; localhost for passkeys on this machine; any other needs server.public_url",
    },
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
  async run({ host = "127.0.0.1", port = 0, "no-open": noOpen, ...sandbox }, context) {
    const opened = await openServer({ ...sandbox, profile: "write" }, context, {
      isHost: true,
      joins: "signed_out",
      startsOwn: true,
    });
    if (!opened.ok) return opened;
    const { app, config, log } = opened.value;
    const notifier = serverNotifier(opened.value, sandbox.speed ?? 1, context);
    const close = async () => {
      await notifier.stop();
      await opened.value.close();
    };
    const { token, token_file, allowed_origins } = config.values.server;
    const publicPlace = publicPlaceOf(config.values.server);
    const tls =
      isThisMachine(host) || publicPlace !== undefined
        ? await readTls(config.values.server)
        : failed({
            message: `On ${host} the page could be read and used on its way to other machines.`,
            fix: "Set server.public_url, and server.tls_cert and server.tls_key unless a proxy does TLS; or use 127.0.0.1.",
            exitCode: EXIT.usage,
          });
    if (!tls.ok) {
      await close();
      return tls;
    }
    let page: ServedWeb | undefined;
    let addresses: PageAddresses | undefined;
    const served = await serveApp(
      {
        name: "tuitbot",
        app,
        close,
        options: { http: `${host.includes(":") ? `[${host}]` : host}:${port}`, "no-token": false },
        fallback: { host, port },
        token,
        tokenFile: token_file,
        allowedOrigins: allowed_origins,
        ...(publicPlace !== undefined && { publicOrigin: publicPlace.origin }),
        ...(tls.value !== undefined && { tls: tls.value }),
        fix: "Set server.token, or serve on 127.0.0.1.",
        log: log.write,
        async site() {
          page = await serveWeb(opened.value, sandbox.speed ?? 1, context);
          return page?.site;
        },
        welcome(url) {
          addresses = page?.addresses(url);
          const { link, publicUrl } = addresses ?? {};
          return {
            text: [
              ...(publicUrl === undefined
                ? []
                : [
                    `Open ${publicUrl}    # with a name and passphrase`,
                    `It listens at ${new URL("/", url).href}`,
                  ]),
              ...(link === undefined ? [] : [`Open ${link}    # works once, for 15 minutes`]),
              "Stop with Ctrl-C.\n",
            ].join("\n"),
            json: { url: link ?? publicUrl ?? url },
          };
        },
        async wake() {
          notifier.start();
          const address = addresses?.link ?? addresses?.publicUrl;
          if (!noOpen && !context.isJson && context.terminal.isInteractive && address !== undefined)
            await context.machine.openPage(address);
        },
      },
      context,
    );
    if (!served.ok) await close();
    return served;
  },
});
