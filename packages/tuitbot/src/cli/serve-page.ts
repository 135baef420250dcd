import { type CommandFailure, type CommandOutcome, EXIT } from "@toolpact/cli";
import { serveApp } from "@toolpact/contract/internal/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { isThisMachine } from "../config/this-machine.ts";
import { publicPlaceOf, readTls } from "../web/public-place.ts";
import type { PageAddresses, ServedWeb } from "../web/serve-web.ts";
import type { Context } from "./context.ts";
import type { OpenedServer } from "./open-server.ts";
import { serveDashboard } from "./serve-web.ts";

export interface PageOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** How many times as fast as real time the clock of the server runs. */
  readonly speed: number;
  /** Stops what the server started. */
  readonly close: () => Promise<void>;
  /** Called once browsers can connect, with the address for the one of this person. */
  readonly wake: (address: string | undefined) => Promise<void>;
}

/** Serves the dashboard and MCP until the user stops it. */
export async function servePage(
  server: OpenedServer,
  { host, port, speed, close, wake }: PageOptions,
  context: Context,
): Promise<CommandOutcome> {
  const { app, config, log } = server;
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
  const { clientSignIn } = await import("../web/client-sign-in.ts");
  const clients = clientSignIn(server);
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
      ...(clients !== undefined && { signIn: clients.signIn }),
      tokenFile: token_file,
      allowedOrigins: allowed_origins,
      ...(publicPlace !== undefined && { publicOrigin: publicPlace.origin }),
      ...(tls.value !== undefined && { tls: tls.value }),
      fix: "Set server.token, or serve on 127.0.0.1.",
      log: log.write,
      async extension() {
        // A sandbox exists only here; agents of an account start separate servers, which outlive this one.
        const access = { isHere: server.isSandbox, asksForToken: true };
        page = await serveDashboard(server, speed, access, context, clients);
        return page?.extension;
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
      wake: () => wake(addresses?.link ?? addresses?.publicUrl),
    },
    context,
  );
  if (!served.ok) await close();
  return served;
}

/** Serves the dashboard alongside other work of this process. Returns a function that stops it. */
export async function servePageBeside(
  server: OpenedServer,
  options: Pick<PageOptions, "host" | "port" | "speed">,
  context: Context,
): Promise<Outcome<() => Promise<void>, CommandFailure>> {
  const stopping = new AbortController();
  const signal = AbortSignal.any([context.signal, stopping.signal]);
  let isReady = () => {};
  const ready = new Promise<"ready">((resolve) => {
    isReady = () => resolve("ready");
  });
  const serving = servePage(
    server,
    // The other work closes the server.
    { ...options, close: async () => {}, wake: async () => isReady() },
    { ...context, signal },
  );
  const began = await Promise.race([ready, serving]);
  if (began !== "ready" && !began.ok) return began;
  return ok(async () => {
    stopping.abort();
    await serving;
  });
}
