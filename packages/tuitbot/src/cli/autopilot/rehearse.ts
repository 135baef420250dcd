import { EXIT } from "@toolpact/cli";
import { commandFailure } from "@toolpact/contract/internal/cli";
import { failed, ok } from "@toolpact/outcome";
import { command } from "../machine.ts";

export const rehearse = command({
  name: "rehearse",
  describe: "Show what the autopilot would do in the coming days, without doing it",
  details:
    "Runs the loops on a copy of your data in memory and on a simulated X that knows what tuitbot has stored about yours, with your policy and budget: what would be published, need approval, be refused, and cost. Nothing is sent to X, your database is not changed, and your language model is not asked.",
  options: {
    days: {
      kind: "number",
      placeholder: "DAYS",
      describe: "How many days; 7 by default",
      min: 1,
      max: 31,
    },
  },
  examples: [
    { line: "tuitbot rehearse", does: "the coming week, by day, with reasons" },
    { line: "tuitbot rehearse --days 1 --output json", does: "the coming day, for a program" },
  ],
  async run({ days = 7 }, context) {
    const [{ withServices }, { rehearse }, { rehearsalText }] = await Promise.all([
      import("../with-services.ts"),
      import("../../rehearsal/rehearse.ts"),
      import("./rehearsal-text.ts"),
    ]);
    const { terminal, signal } = context;
    let shown = -1;
    const onProgress = (share: number) => {
      const day = Math.min(days, Math.floor(share * days) + 1);
      if (!terminal.isInteractive || day === shown) return;
      shown = day;
      terminal.err(`\rRehearsing day ${day} of ${days} `);
    };
    const needs = ["db", "workflow", "config", "approvals"] as const;
    return withServices(
      needs,
      { profile: "write" },
      context,
      async ({ approvals, ...source }) => {
        const rehearsed = await rehearse(
          { ...source, approvalKey: approvals.key },
          { days, onProgress, signal },
        );
        if (shown !== -1) terminal.err(`\r${" ".repeat(40)}\r`);
        if (!rehearsed.ok)
          return failed({
            ...commandFailure(rehearsed.failure),
            ...(signal.aborted && { exitCode: EXIT.interrupted }),
          });
        return ok({ text: rehearsalText(rehearsed.value, context), json: { ...rehearsed.value } });
      },
      { isOffline: true },
    );
  },
});
