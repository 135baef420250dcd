import { type Command, commandFor, EXIT, untilStopped } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { systemClock } from "../clock.ts";
import { gateSource, notifierFor, openPolicy, policyOption } from "./gate-place.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

export const gateWebCommand: Command<Machine> = command({
  name: "web",
  describe: "Serve the inbox of a gate to the browser of this machine",
  details:
    "Prints a link that opens once. The gate does not have to run: it sends approved calls when it does.",
  options: {
    ...policyOption,
    port: { kind: "number", placeholder: "PORT", describe: "Any free one unless given", min: 0, max: 65_535 },
  },
  examples: [
    { line: "toolpact gate web", does: "serves the inbox of gate.toml and prints its link" },
    {
      line: "toolpact gate web --policy files.toml --port 8090",
      does: "the same for another gate, on a port of your choice",
    },
  ],
  async run({ policy: file, port = 0 }, { terminal, signal, isJson }) {
    const opened = await openPolicy(file, { terminal });
    if (!opened.ok) return opened;
    const { policy, storage } = opened.value;
    const { serveInbox } = await import("../gate/inbox.ts");
    try {
      const inbox = await serveInbox({
        port,
        sources: [gateSource(policy, storage)],
        clock: systemClock,
      });
      terminal.out(
        isJson
          ? `${JSON.stringify({ link: inbox.link })}\n`
          : `Inbox (the link opens once):\n  ${inbox.link}\n`,
      );
      const stopNotifier = await notifierFor(policy, storage, (message) =>
        terminal.err(`toolpact gate web: ${message}\n`),
      );
      await untilStopped(signal);
      await stopNotifier();
      await inbox.close();
      return ok({ text: "", json: { stopped: true }, exitCode: EXIT.ok });
    } catch (error) {
      return failed({ message: `The inbox cannot be served: ${(error as Error).message}` });
    } finally {
      await storage.close();
    }
  },
});
