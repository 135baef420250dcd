import { extname } from "node:path";
import { type Command, commandFor, EXIT } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { httpOptions, serveApp } from "../cli/serve-app.ts";
import { systemClock } from "../clock.ts";
import type { Policy } from "../gate/policy.ts";
import type { GuardStorage } from "../guards/storage.ts";
import { maskSecrets } from "../redact.ts";
import { gateApproveCommand } from "./gate-approve-command.ts";
import { gateInitCommand } from "./gate-init-command.ts";
import { gateLogCommand } from "./gate-log-command.ts";
import { openPolicy, placeOf, placeOptions, policyOption } from "./gate-place.ts";
import { gateWebCommand } from "./gate-web-command.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

const serve = command({
  name: "gate",
  describe: "Put a person, receipts, limits and an audit log before any MCP server",
  details:
    "Behind -- stands the command line of the server. The policy file says which tools only read, which may be called, which need a person and which are refused. A tool that it does not name needs a person, whatever the server says of it. Write a first policy with toolpact gate init. What waits is decided with toolpact gate approve or toolpact gate web. Clients of every version of the protocol may connect, whichever version the server speaks.",
  options: {
    ...policyOption,
    ...placeOptions,
    ...httpOptions,
    http: { ...httpOptions.http, describe: "Serve many clients over HTTP; on 127.0.0.1:8080 unless given" },
    web: {
      kind: "value",
      placeholder: "PORT",
      describe: "Serve the inbox too, on this port of this machine; any free one without a number",
      whenBare: "0",
    },
  },
  examples: [
    {
      line: "toolpact gate init -- npx -y @modelcontextprotocol/server-filesystem ~/notes",
      does: "writes gate.toml with the tools of that server",
    },
    {
      line: "toolpact gate -- npx -y @modelcontextprotocol/server-filesystem ~/notes",
      does: "serves it on stdio behind gate.toml",
    },
    {
      line: "toolpact gate --url https://example.com/mcp --http 8080 --web",
      does: "serves a remote server on port 8080, with an inbox",
    },
    { line: "toolpact gate approve", does: "shows what waits, and asks about each" },
  ],
  async run({ policy: file, http, "no-token": noToken, web, ...given }, context) {
    const place = placeOf(given, context);
    if (!place.ok) return place;
    const opened = await openPolicy(file, context);
    if (!opened.ok) return opened;
    const { policy, storage, path } = opened.value;
    const log = (message: string) => context.terminal.err(`toolpact gate: ${maskSecrets(message)}\n`);
    const { openGate } = await import("../gate/gate-app.ts");
    const { questionKey } = await import("../gate/open-store.ts");
    try {
      const gate = await openGate({
        place: place.value,
        policy,
        storage,
        questionKey: await questionKey(policy),
        clock: systemClock,
        log,
      });
      // Told to end while the server was still starting.
      if (context.signal.aborted) {
        await gate.close();
        await storage.close();
        return ok(undefined);
      }
      const inbox = web === undefined ? undefined : await openInbox(web, policy, storage, log);
      const close = async () => {
        if (inbox?.ok) await inbox.value.close();
        await gate.close();
        await storage.close();
      };
      if (inbox?.ok === false) {
        await close();
        return inbox;
      }
      log(`The gate is open before ${gate.info.name}. Decide with: toolpact gate approve --policy ${path}`);
      const served = await serveApp(
        {
          name: "toolpact gate",
          app: gate.app,
          close,
          options: { http, "no-token": noToken },
          fallback: { host: "127.0.0.1", port: 8080 },
          token: context.terminal.env.TOOLPACT_GATE_TOKEN || undefined,
          tokenFile: path.slice(0, -extname(path).length).concat(".token"),
          allowedOrigins: [],
          fix: "Set TOOLPACT_GATE_TOKEN.",
          welcome: (url, claudeOptions) => ({
            text: `The gate before ${gate.info.name} listens at ${url}\n\n  claude mcp add --transport http ${policy.name} ${url}${claudeOptions}\n`,
            json: { url, name: policy.name, server: gate.info.name },
          }),
          log,
          wake: async () => {},
        },
        context,
      );
      // Where it could not listen, nothing else would end the server.
      if (!served.ok) await close();
      return served;
    } catch (error) {
      await storage.close();
      return failed({ message: maskSecrets((error as Error).message) });
    }
  },
});

/** `toolpact gate` and the commands below it */
export const gateCommand: Command<Machine> = {
  ...serve,
  commands: [gateInitCommand, gateApproveCommand, gateWebCommand, gateLogCommand],
};

async function openInbox(
  port: string,
  policy: Policy,
  storage: GuardStorage,
  log: (message: string) => void,
) {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    return failed({ message: `--web cannot be ${JSON.stringify(port)}. Give a port.`, exitCode: EXIT.usage });
  const { serveInbox } = await import("../gate/inbox.ts");
  try {
    const inbox = await serveInbox({ port: Number(port), gate: policy.name, storage, clock: systemClock });
    log(`The inbox, by a link that opens once: ${inbox.link}`);
    return ok(inbox);
  } catch (error) {
    return failed({ message: `The inbox cannot be served: ${(error as Error).message}` });
  }
}
