import { type Command, commandFor } from "@toolpact/cli";
import { ok } from "@toolpact/outcome";
import { DAY_MS } from "../clock.ts";
import { proposalText, proposePolicy } from "../gate/propose-policy.ts";
import { openPolicy, policyOption } from "./gate-place.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

const DAYS = 7;
const MAX_RECORDS = 100_000;

export const gateWatchCommand: Command<Machine> = command({
  name: "watch",
  describe: "Propose the narrowest policy that covers the calls of the last days",
  details:
    "With watch = true in the policy, a gate asks about nothing but new and changed tools, and only records: calls that need approval are sent. Let it run for a week, and read the proposal before you use it. It shows how many calls the rules would have asked about, and their cost.",
  options: {
    ...policyOption,
    days: {
      kind: "number",
      placeholder: "N",
      describe: `How many days; ${DAYS} unless given`,
      min: 1,
      max: 365,
    },
  },
  examples: [{ line: "toolpact gate watch > narrow.toml", does: "writes the rules for the calls of a week" }],
  async run({ policy: file, days = DAYS }, { terminal }) {
    const opened = await openPolicy(file, { terminal });
    if (!opened.ok) return opened;
    const { policy, storage } = opened.value;
    try {
      const now = Date.now();
      const records = (await storage.records(MAX_RECORDS)).filter(({ at }) => at >= now - days * DAY_MS);
      const proposal = proposePolicy(policy, records);
      const since = Math.min(now, ...records.slice(-1).map(({ at }) => at));
      return ok({
        text:
          records.length === 0
            ? `Nothing was called in the last ${days} days.`
            : proposalText(proposal, { since, now }),
        json: { tools: proposal.tools, policy: proposal.text },
      });
    } finally {
      await storage.close();
    }
  },
});
