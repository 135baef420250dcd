import { type Command, EXIT } from "@toolpact/cli";
import { failed } from "@toolpact/outcome";
import { refusedHere } from "../approve/approve.ts";
import { command, type Machine } from "../machine.ts";

const list = command({
  name: "list",
  describe: "List learned rules and proposals",
  examples: [{ line: "tuitbot rules list --output json", does: "for a program" }],
  async run(_, context) {
    const { listRules } = await import("./run-rules.ts");
    return listRules(context);
  },
});

const show = command({
  name: "show",
  describe: "Show a rule or a proposal, with the decisions behind it",
  args: { rule: { describe: "The number of a rule, or the id of a proposal", required: true } },
  examples: [
    { line: "tuitbot rules show 3", does: "rule 3, its limits, and the decisions that it is based on" },
    { line: "tuitbot rules show 5f2a90c1d7e4", does: "the same for a proposal, and its rehearsal" },
  ],
  async run({ rule }, context) {
    const { showRule } = await import("./run-rules.ts");
    return showRule(rule, context);
  },
});

const accept = command({
  name: "accept",
  describe: "Accept a proposed rule",
  details:
    "Shows the rule with its evidence, and asks. It expires after 30 days unless you say otherwise. One rejection or edit of a call that it covers suspends it.",
  args: { proposal: { describe: "The id of the proposal", required: true } },
  options: {
    days: {
      kind: "number",
      placeholder: "DAYS",
      describe: "Days until it expires; 30 by default",
      min: 1,
      max: 90,
    },
    "per-day": {
      kind: "number",
      placeholder: "COUNT",
      describe: "Maximum calls per day (UTC)",
      min: 1,
      max: 100,
    },
    budget: {
      kind: "number",
      placeholder: "USD",
      describe: "Maximum cost of all its calls",
      min: 0,
      max: 1_000,
      allowsFraction: true,
    },
    rehearse: {
      kind: "number",
      placeholder: "DAYS",
      describe: "Days to rehearse: you are still asked, and see what the rule would have decided",
      min: 0,
      max: 14,
    },
    yes: { kind: "flag", short: "y", describe: "Accept it without asking, in a terminal" },
  },
  examples: [
    { line: "tuitbot rules accept 5f2a90c1d7e4", does: "shows the proposal, and asks" },
    {
      line: "tuitbot rules accept 5f2a90c1d7e4 --rehearse 3 --per-day 2",
      does: "rehearses it for three days, then allows two calls a day",
    },
  ],
  async run(given, context) {
    const refused = await refusedHere(context);
    if (refused !== undefined) return refused;
    const { acceptRule } = await import("./run-rules.ts");
    return acceptRule(
      {
        id: given.proposal,
        days: given.days,
        perDay: given["per-day"],
        budgetUsd: given.budget,
        rehearsalDays: given.rehearse,
      },
      given.yes,
      context,
    );
  },
});

const off = command({
  name: "off",
  describe: "Turn off a rule: its calls need your approval again",
  args: { rule: { describe: "The number of the rule", required: true } },
  examples: [{ line: "tuitbot rules off 3", does: "turns rule 3 off" }],
  async run({ rule }, context) {
    const id = Number(rule);
    if (!Number.isSafeInteger(id) || id < 1)
      return failed({
        message: `${JSON.stringify(rule)} is not the number of a rule.`,
        fix: "See tuitbot rules list.",
        exitCode: EXIT.usage,
      });
    const { turnOff } = await import("./run-rules.ts");
    return turnOff(id, context);
  },
});

export const rules: Command<Machine> = {
  ...list,
  name: "rules",
  describe: "List, accept and turn off rules learned from your decisions",
  examples: [...list.examples, ...accept.examples, ...off.examples],
  commands: [list, show, accept, off],
};
