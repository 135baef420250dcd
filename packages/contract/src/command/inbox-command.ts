import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type Command,
  type CommandFailure,
  commandFor,
  EXIT,
  localMachine,
  untilStopped,
} from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { gateFolder } from "../cli/wrap.ts";
import { systemClock } from "../clock.ts";
import type { InboxSource } from "../gate/inbox.ts";
import { gateSource, notifierFor, openPolicy } from "./gate-place.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

export const inboxCommand: Command<Machine> = command({
  name: "inbox",
  describe: "Serve one inbox for several gates, and for servers with their own guards",
  details:
    "Without options it shows the gate of this folder and that of toolpact gate wrap. Prints a link that opens once. Approved calls are sent by the gates and servers when they run.",
  options: {
    policy: { kind: "list", keepsCommas: true, placeholder: "FILE", describe: "The policy of a gate" },
    storage: {
      kind: "value",
      placeholder: "FILE",
      describe: "The guards' storage of your own server: a SQLite file, or postgres://…",
    },
    key: {
      kind: "value",
      placeholder: "FILE",
      describe: "With --storage: the file with the key that the server opens it with",
    },
    scope: {
      kind: "value",
      placeholder: "NAME",
      describe: "With --storage: the scope, if the storage has several",
    },
    port: { kind: "number", placeholder: "PORT", describe: "Any free one unless given", min: 0, max: 65_535 },
  },
  examples: [
    { line: "toolpact inbox", does: "serves what waits at the gates of this machine" },
    {
      line: "toolpact inbox --storage guards.db --key approval.key",
      does: "serves what waits at your own server",
    },
  ],
  async run({ policy: given, storage, key, scope, port = 0 }, { terminal, machine, signal, isJson }) {
    const policies = given ?? (storage === undefined ? usualPolicies(machine, terminal.env) : []);
    const sources: InboxSource[] = [];
    const stops: (() => Promise<void>)[] = [];
    const opened = await openAll();
    if (!opened.ok) {
      await close();
      return opened;
    }
    const [first, ...others] = sources;
    if (first === undefined)
      return failed({
        message: "There is no gate here.",
        fix: "Name a policy with --policy FILE, or the storage of a server with --storage FILE.",
        exitCode: EXIT.usage,
      });
    const { serveInbox } = await import("../gate/inbox.ts");
    try {
      const inbox = await serveInbox({ port, sources: [first, ...others], clock: systemClock });
      terminal.out(
        isJson
          ? `${JSON.stringify({ link: inbox.link })}\n`
          : `Inbox of ${sources.map(({ name }) => name).join(", ")} (the link opens once):\n  ${inbox.link}\n`,
      );
      await untilStopped(signal);
      await inbox.close();
      return ok({ text: "", json: { stopped: true }, exitCode: EXIT.ok });
    } catch (error) {
      return failed({ message: `The inbox cannot be served: ${(error as Error).message}` });
    } finally {
      await close();
    }

    async function openAll(): Promise<Outcome<void, CommandFailure>> {
      for (const file of policies) {
        const one = await openPolicy(file, { terminal });
        if (!one.ok) return one;
        sources.push(gateSource(one.value.policy, one.value.storage));
        stops.push(
          await notifierFor(one.value.policy, one.value.storage, (message) =>
            terminal.err(`toolpact inbox: ${message}\n`),
          ),
        );
      }
      if (storage === undefined) return ok(undefined);
      if (key === undefined)
        return failed({
          message: "--storage needs --key FILE, which signs decisions.",
          exitCode: EXIT.usage,
        });
      const { openServerStorage } = await import("../gate/open-server-storage.ts");
      const server = await openServerStorage({ store: storage, keyFile: key, scope });
      if (!server.ok) return failed({ message: server.failure });
      sources.push({ name: server.value.scope, storage: server.value, readsFiles: () => false });
      return ok(undefined);
    }

    async function close(): Promise<void> {
      for (const stop of stops) await stop();
      for (const source of sources) await source.storage.close();
    }
  },
});

/** Those of this folder and of wrapped clients. */
function usualPolicies({ local = localMachine() }: Machine, env: NodeJS.ProcessEnv): readonly string[] {
  const found = [resolve(local.cwd, "gate.toml"), join(gateFolder({ ...local, env }), "gate.toml")];
  return [...new Set(found)].filter((file) => existsSync(file));
}
