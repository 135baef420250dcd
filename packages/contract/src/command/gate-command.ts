import { type Command, type CommandFailure, commandFor, EXIT } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { httpOptions, serveApp } from "../cli/serve-app.ts";
import { systemClock } from "../clock.ts";
import type { Gate } from "../gate/gate-app.ts";
import { gateProbes } from "../gate/gate-probes.ts";
import { type Policy, tokenDigest } from "../gate/policy.ts";
import type { GuardStorage } from "../guards/storage.ts";
import { callMetrics } from "../observers/metrics.ts";
import { maskSecrets } from "../redact.ts";
import { gateApproveCommand } from "./gate-approve-command.ts";
import { gateCheckCommand, gateExplainCommand, gateTestCommand } from "./gate-check-command.ts";
import { gateClientsCommand } from "./gate-clients-command.ts";
import { gateInitCommand } from "./gate-init-command.ts";
import { gateLogCommand } from "./gate-log-command.ts";
import {
  besidePolicy,
  gateSource,
  notifierFor,
  openPolicy,
  placeFor,
  placeOf,
  placeOptions,
  policyOption,
} from "./gate-place.ts";
import { gateRulesCommand } from "./gate-rules-command.ts";
import { gateStatusCommand, gateUnwrapCommand } from "./gate-unwrap-command.ts";
import { gateWatchCommand } from "./gate-watch-command.ts";
import { gateWebCommand } from "./gate-web-command.ts";
import { gateWrapCommand } from "./gate-wrap-command.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

const serve = command({
  name: "gate",
  describe: "Add approval, deduplication, limits and an audit log to any MCP server",
  details:
    "The command line of the server follows --. The policy file lists which tools only read, which can be called, which need approval and which are hidden. A tool that it does not name needs approval, whatever the server claims about it. Write a first policy with toolpact gate init. Approve calls with toolpact gate approve or toolpact gate web. Clients and servers can use different versions of the protocol.",
  options: {
    ...policyOption,
    ...placeOptions,
    ...httpOptions,
    http: { ...httpOptions.http, describe: "Serve many clients over HTTP; on 127.0.0.1:8080 unless given" },
    "sign-in": {
      kind: "value",
      placeholder: "URL",
      describe:
        "Over HTTP: clients sign in with a browser; URL is the public https address of a proxy or tunnel to this gate",
      whenBare: "",
    },
    only: {
      kind: "value",
      placeholder: "NAMES",
      describe: "Serve only these servers of the policy, separated by commas",
    },
    caller: {
      kind: "value",
      placeholder: "NAME",
      describe: "On stdio: the identity of the client, for rules, limits and the log",
    },
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
      does: "serves it on stdio with the policy in gate.toml",
    },
    {
      line: "toolpact gate --url https://example.com/mcp --http 8080 --web",
      does: "serves a remote server on port 8080, with an inbox",
    },
    { line: "toolpact gate approve", does: "shows each waiting call, and asks" },
  ],
  async run(
    { policy: file, http, "no-token": noToken, "sign-in": signInAt, only, caller, web, ...given },
    context,
  ) {
    if (given.url !== undefined && context.machine.server.length > 0) {
      const both = placeOf(given, context);
      if (!both.ok) return both;
    }
    const opened = await openPolicy(file, context);
    if (!opened.ok) return opened;
    const { policy, storage, path } = opened.value;
    const place = placeFor(policy, given, context);
    if (!place.ok) {
      await storage.close();
      return place;
    }
    const chosen = onlyServers(policy, only);
    if (!chosen.ok) {
      await storage.close();
      return chosen;
    }
    const log = (message: string) => context.terminal.err(`toolpact gate: ${maskSecrets(message)}\n`);
    const { openGate } = await import("../gate/gate-app.ts");
    const { keyFor } = await import("../gate/open-store.ts");
    const calls = callMetrics();
    const token = context.terminal.env.TOOLPACT_GATE_TOKEN || undefined;
    const tokenFile = besidePolicy(path, ".token");
    let gate: Gate | undefined;
    const signIn =
      signInAt === undefined
        ? ok(undefined)
        : await (await import("./gate-sign-in.ts")).signInFor(signInAt, policy, {
            isOpen: http === undefined || noToken,
            token,
            tokenFile,
            mayRead: (tool) => gate?.mayRead(tool) ?? true,
          });
    if (!signIn.ok) {
      await storage.close();
      return signIn;
    }
    let stopNotifier = async () => {};
    const closeStore = async () => {
      await stopNotifier();
      await signIn.value?.close();
      await storage.close();
    };
    try {
      gate = await openGate({
        place: place.value,
        policy: chosen.value,
        storage,
        questionKey: await keyFor("questions of a gate", policy),
        signedIn: signIn.value?.callers,
        clock: systemClock,
        log,
        observer: calls.observer,
      });
      // Stopped during the server's start.
      if (context.signal.aborted) {
        await gate.close();
        await closeStore();
        return ok(undefined);
      }
      const inbox = web === undefined ? undefined : await openInbox(web, policy, storage, log);
      const { app, close: closeGate, name } = gate;
      stopNotifier = await notifierFor(policy, storage, log);
      const close = async () => {
        if (inbox?.ok) await inbox.value.close();
        // A server can take seconds to exit. Messages are free for another process as soon as the notifier
        // has stopped.
        await Promise.all([closeGate(), stopNotifier()]);
        await closeStore();
      };
      if (inbox?.ok === false) {
        await close();
        return inbox;
      }
      log(`Gate running in front of ${name}. Approve calls with: toolpact gate approve --policy ${path}`);
      const served = await serveApp(
        {
          name: "toolpact gate",
          app,
          close,
          options: { http, "no-token": noToken },
          fallback: { host: "127.0.0.1", port: 8080 },
          ...(caller !== undefined && http === undefined && { principal: { id: caller } }),
          ...(policy.callers.length > 0 && {
            identify: async (token: string) => {
              const found = policy.callers.find(({ tokenDigest: own }) => own === tokenDigest(token));
              return found && { id: found.name };
            },
          }),
          ...(signIn.value !== undefined && { signIn: signIn.value.signIn }),
          token,
          tokenFile,
          allowedOrigins: [],
          fix: "Set TOOLPACT_GATE_TOKEN.",
          welcome: (url, claudeOptions, hasSignIn) => ({
            text: [
              `The gate in front of ${name} listens at ${url}\n`,
              `  claude mcp add --transport http ${policy.name} ${url}${claudeOptions}`,
              ...(hasSignIn ? (signIn.value?.lines(url) ?? []) : []),
              "",
            ].join("\n"),
            json: { url, name: policy.name, server: name },
          }),
          log,
          probes: gateProbes(storage, calls, () => systemClock.now()),
          wake: async () => {},
        },
        context,
      );
      // If the gate cannot listen, nothing else stops the server.
      if (!served.ok) await close();
      return served;
    } catch (error) {
      await closeStore();
      return failed({ message: maskSecrets((error as Error).message) });
    }
  },
});

export const gateCommand: Command<Machine> = {
  ...serve,
  commands: [
    gateInitCommand,
    gateApproveCommand,
    gateWebCommand,
    gateLogCommand,
    gateClientsCommand,
    gateWrapCommand,
    gateUnwrapCommand,
    gateStatusCommand,
    gateCheckCommand,
    gateExplainCommand,
    gateTestCommand,
    gateRulesCommand,
    gateWatchCommand,
  ],
};

function onlyServers(policy: Policy, only: string | undefined): Outcome<Policy, CommandFailure> {
  const names = only?.split(",");
  const missing = names?.find((name) => policy.servers.every((server) => server.name !== name));
  if (missing !== undefined)
    return failed({ message: `The policy has no server ${JSON.stringify(missing)}.`, exitCode: EXIT.usage });
  return ok({ ...policy, servers: policy.servers.filter(({ name }) => names?.includes(name) ?? true) });
}

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
    const inbox = await serveInbox({
      port: Number(port),
      sources: [gateSource(policy, storage)],
      clock: systemClock,
    });
    log(`Inbox (the link opens once): ${inbox.link}`);
    return ok(inbox);
  } catch (error) {
    return failed({ message: `The inbox cannot be served: ${(error as Error).message}` });
  }
}
