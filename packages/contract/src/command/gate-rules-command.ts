import { type Command, columns, commandFor, EXIT } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { removeSimilar } from "../gate/similar-file.ts";
import { formatTime, visible } from "../guards/shown-text.ts";
import { policyIn, policyOption } from "./gate-place.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

const MAX_ITEM = 1_000_000_000;

/** `toolpact gate rules` */
export const gateRulesCommand: Command<Machine> = command({
  name: "rules",
  describe: "List the calls that are allowed because they are like an approved one, or take a rule back",
  details:
    "A running gate applies the change to its next call. The rules are the [[similar]] tables of the policy.",
  options: {
    ...policyOption,
    off: {
      kind: "number",
      placeholder: "ITEM",
      describe: "Remove the rule of this item",
      min: 1,
      max: MAX_ITEM,
    },
  },
  examples: [
    { line: "toolpact gate rules", does: "lists the rules, who accepted them and when they expire" },
    { line: "toolpact gate rules --off 12", does: "asks again about calls like item 12" },
  ],
  async run({ policy: file, off }, { terminal }) {
    const policy = await policyIn(file, terminal.env);
    if (!policy.ok) return policy;
    if (off !== undefined) {
      const removed = await removeSimilar(policy.value.path, off);
      return removed.ok
        ? ok({ text: `Calls like item ${off} need approval again.`, json: { removed: off } })
        : failed({ message: removed.failure });
    }
    const now = Date.now();
    const { similar } = policy.value;
    const rows = similar.map(({ item, tool, when, caller = "", until, by }) => [
      String(item),
      visible(tool),
      visible(caller),
      Date.parse(until) > now ? `${formatTime(Date.parse(until))} UTC` : "expired",
      visible(by),
      visible(when.text),
    ]);
    return ok({
      text:
        rows.length === 0
          ? "No calls are allowed because they are like an approved one."
          : columns([["item", "tool", "caller", "until", "accepted by", "if"], ...rows]),
      json: { similar: similar.map(({ when, ...rule }) => ({ ...rule, when: when.text })) },
      exitCode: EXIT.ok,
    });
  },
});
