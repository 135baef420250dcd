import { type Command, columns, commandFor } from "@toolpact/cli";
import { ok } from "@toolpact/outcome";
import { formatUsd, usdOf } from "../guards/money.ts";
import { formatTime, visible } from "../guards/shown-text.ts";
import { openPolicy, policyOption } from "./gate-place.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

const MAX_ROWS = 50;
const HEAD = ["time (UTC)", "tool", "rule", "outcome", "took", "client"];

export const gateLogCommand: Command<Machine> = command({
  name: "log",
  describe: "Print the audit log of a gate, newest call first, and the spending",
  options: {
    ...policyOption,
    limit: {
      kind: "number",
      placeholder: "N",
      describe: "How many calls; 50 unless given",
      min: 1,
      max: 10_000,
    },
  },
  examples: [
    { line: "toolpact gate log", does: "prints the last 50 calls" },
    { line: "toolpact gate log --limit 1000 --output json", does: "prints the last 1,000 as JSON" },
  ],
  async run({ policy: file, limit = MAX_ROWS }, { terminal }) {
    const opened = await openPolicy(file, { terminal });
    if (!opened.ok) return opened;
    const { storage } = opened.value;
    try {
      const records = await storage.records(limit);
      const { day, month } = await storage.spent(Date.now());
      const rows = records.map(({ at, tool, decision, outcome, code, client, principal, elapsedMs }) => [
        formatTime(at),
        visible(tool),
        decision,
        code ?? outcome,
        `${Math.round(elapsedMs)} ms`,
        visible(principal ?? client ?? ""),
      ]);
      return ok({
        text: `${rows.length === 0 ? "Nothing was called yet.\n" : columns([HEAD, ...rows])}Spent or held: ${formatUsd(day)} today, ${formatUsd(month)} this month (UTC).`,
        json: { records, spent_usd: { day: usdOf(day), month: usdOf(month) } },
      });
    } finally {
      await storage.close();
    }
  },
});
