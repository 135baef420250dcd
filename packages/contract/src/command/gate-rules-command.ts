import { userInfo } from "node:os";
import { type Command, columns, commandFor, EXIT } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { acceptProposal, proposeSimilar, type SimilarProposal } from "../gate/propose-similar.ts";
import { removeSimilar } from "../gate/similar-file.ts";
import { SIMILAR_PER_DAY, type SimilarRule, suspension } from "../gate/similar-rules.ts";
import { personVia } from "../guards/approval-item.ts";
import { formatTime, visible } from "../guards/shown-text.ts";
import type { GuardStorage } from "../guards/storage.ts";
import { openPolicy, policyOption } from "./gate-place.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

const MAX_ITEM = 1_000_000_000;

export const gateRulesCommand: Command<Machine> = command({
  name: "rules",
  describe:
    "List the rules for similar calls and those that your decisions propose, accept one or take one back",
  details:
    "A running gate applies the change to its next call. The rules are the [[similar]] tables of the policy. Accepting a proposal needs an interactive terminal.",
  options: {
    ...policyOption,
    accept: {
      kind: "number",
      placeholder: "ITEM",
      describe: "Show the proposal of this number, and accept it",
      min: 1,
      max: MAX_ITEM,
    },
    off: {
      kind: "number",
      placeholder: "ITEM",
      describe: "Remove the rule of this item",
      min: 1,
      max: MAX_ITEM,
    },
  },
  examples: [
    {
      line: "toolpact gate rules",
      does: "lists the rules, who accepted them and when they expire, and proposals",
    },
    { line: "toolpact gate rules --accept 31", does: "asks whether to accept the proposal of item 31" },
    { line: "toolpact gate rules --off 12", does: "asks again about calls like item 12" },
  ],
  async run({ policy: file, accept, off }, { terminal, signal }) {
    const opened = await openPolicy(file, { terminal });
    if (!opened.ok) return opened;
    const { storage, policy } = opened.value;
    try {
      if (off !== undefined) {
        const removed = await removeSimilar(policy.path, off);
        return removed.ok
          ? ok({ text: `Calls like item ${off} need approval again.`, json: { removed: off } })
          : failed({ message: removed.failure });
      }
      const now = Date.now();
      const proposals = await proposeSimilar(storage, policy.similar, now);
      if (accept === undefined) return ok(await listed(policy.similar, proposals, storage, now));
      const proposal = proposals.find(({ entry }) => entry.item === accept);
      if (proposal === undefined) return failed({ message: `Nothing is proposed from item ${accept}.` });
      if (!terminal.isInteractive)
        return failed({
          message: "Accepting a rule needs an interactive terminal.",
          fix: "Run it in a terminal, or accept the proposal in toolpact gate web.",
        });
      terminal.out(`${proposalText(proposal)}\n`);
      const answer = (await terminal.ask("Accept this rule, [y]es or [n]o? ", signal))?.trim().toLowerCase();
      if (answer !== "y" && answer !== "yes") return ok({ text: "Nothing was changed.", json: {} });
      const by = personVia("terminal", `user ${JSON.stringify(userInfo().username)}`);
      const accepted = await acceptProposal(
        proposal,
        { by, now: Date.now() },
        { storage, similar: policy.similar, path: policy.path },
      );
      return accepted.ok
        ? ok({
            text: `Accepted. Take the rule back with: toolpact gate rules --off ${accept}`,
            json: { accepted: accept },
          })
        : failed({ message: accepted.failure });
    } finally {
      await storage.close();
    }
  },
});

async function listed(
  similar: readonly SimilarRule[],
  proposals: readonly SimilarProposal[],
  storage: GuardStorage,
  now: number,
) {
  const rules = await Promise.all(
    similar.map(async (rule) => ({ ...rule.entry, state: await stateOf(rule, storage, now) })),
  );
  const rows = rules.map(({ item, does = "allow", tool, when, caller = "", per_day, until, by, state }) => [
    String(item),
    does,
    visible(tool),
    visible(caller),
    does === "allow" ? String(per_day ?? SIMILAR_PER_DAY) : "",
    `${formatTime(Date.parse(until))} UTC`,
    state,
    visible(by),
    visible(when),
  ]);
  const head = ["item", "does", "tool", "caller", "a day", "until", "state", "accepted by", "if"];
  return {
    text: [
      rows.length === 0 ? "There are no rules for similar calls." : columns([head, ...rows]),
      ...proposals.map(proposalText),
    ].join("\n\n"),
    json: { similar: rules, proposals: proposals.map(({ entry, lines }) => ({ ...entry, says: lines })) },
    exitCode: EXIT.ok,
  };
}

/** A suspended rule stays suspended: a person has rejected a call it allows. */
async function stateOf(rule: SimilarRule, storage: GuardStorage, now: number): Promise<string> {
  if (rule.learned.expiresAt <= now) return "expired";
  const rejected = await suspension(rule, storage);
  return rejected === undefined ? "active" : `suspended: item ${rejected.id} was rejected`;
}

function proposalText({ entry, evidence, lines }: SimilarProposal): string {
  return [
    `Proposal ${entry.item}: ${lines.join(" ")}`,
    ...evidence.map(
      ({ id, args, decidedAt = 0 }) =>
        `  ${id}, ${formatTime(decidedAt)} UTC: ${visible(JSON.stringify(args)).slice(0, MAX_EXAMPLE)}`,
    ),
    `  Accept it with: toolpact gate rules --accept ${entry.item}`,
  ].join("\n");
}

const MAX_EXAMPLE = 160;
