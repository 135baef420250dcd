import { MUTATION_STATUSES, STATUS_WORDS } from "../../audit/statuses.ts";
import { command } from "../machine.ts";

export const status = command({
  name: "status",
  describe: "Show pending approvals, scheduled posts, spending and the state of the account",
  details: "Reads what is stored on this machine.",
  examples: [
    { line: "tuitbot status", does: "the account in a few lines" },
    { line: "tuitbot status --output json", does: "the same for a program" },
  ],
  async run(_, context) {
    const { showStatus } = await import("./show-status.ts");
    return showStatus(context);
  },
});

export const stats = command({
  name: "stats",
  describe: "Show followers and the results of posts and replies",
  details:
    "Based on the measurements so far. `tuitbot run` measures by itself, `tuitbot tick --loops analytics` measures now.",
  options: {
    days: {
      kind: "number",
      placeholder: "DAYS",
      describe: "Days of followers to show; 30 by default",
      min: 1,
      max: 365,
    },
  },
  examples: [
    { line: "tuitbot stats", does: "followers, topics, hours and each kind of post" },
    { line: "tuitbot stats --output json", does: "the same for a program" },
  ],
  async run({ days = 30 }, context) {
    const { showStats } = await import("./show-stats.ts");
    return showStats(days, context);
  },
});

export const spend = command({
  name: "spend",
  describe: "Show what X charged today, this month, per day and per kind of request",
  details: "Counted here by X's price list, in days of UTC. X's own bill is in its developer console.",
  options: {
    days: { kind: "number", placeholder: "DAYS", describe: "Days to show; 14 by default", min: 1, max: 365 },
  },
  examples: [
    { line: "tuitbot spend", does: "the last two weeks, and how much of each cap is used" },
    { line: "tuitbot spend --days 90 --output json", does: "three months, for a program" },
  ],
  async run({ days = 14 }, context) {
    const { showSpending } = await import("./show-spending.ts");
    return showSpending(days, context);
  },
});

export const log = command({
  name: "log",
  describe: "Show what was sent to X, what failed, and what is pending",
  options: {
    limit: {
      kind: "number",
      short: "n",
      placeholder: "COUNT",
      describe: "Entries to show, the latest; 20 by default",
      min: 1,
      max: 500,
    },
    tool: {
      kind: "value",
      placeholder: "NAME",
      describe: 'Only this tool, such as x_post_tweet or "Publish a post"',
    },
    status: {
      kind: "value",
      placeholder: "STATUS",
      describe: "Only entries with this status, as shown in the list or its JSON",
      choices: [...new Set([...Object.values(STATUS_WORDS), ...MUTATION_STATUSES])],
    },
    rule: {
      kind: "number",
      placeholder: "NUMBER",
      describe: "Only what this rule of tuitbot rules decided",
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
    },
  },
  examples: [
    { line: "tuitbot log", does: "the last 20 entries, newest first" },
    { line: "tuitbot log --status failed", does: "what failed" },
    { line: "tuitbot log -n 100 --output json", does: "a hundred entries, for a program" },
  ],
  async run({ limit = 20, tool, status, rule }, context) {
    const { showLog } = await import("./show-log.ts");
    return showLog({ limit, tool, status, ...(rule !== undefined && { rule: `learned:${rule}` }) }, context);
  },
});

export const undo = command({
  name: "undo",
  describe: "Undo the last action on X: delete the post, unlike, unfollow, …",
  details:
    "Shows the action and its undo, and asks. Your yes counts as the approval, if your rules require one.",
  options: {
    list: { kind: "flag", describe: "List actions that can be undone, without undoing any" },
    id: { kind: "value", placeholder: "ID", describe: "Undo this action, by its id in --list" },
    yes: { kind: "flag", short: "y", describe: "Undo without asking" },
  },
  examples: [
    { line: "tuitbot undo", does: "shows the last action, and asks" },
    { line: "tuitbot undo --list", does: "lists every action that can be undone" },
    { line: "tuitbot undo --yes", does: "undoes the last action at once" },
  ],
  async run(input, context) {
    const { undoLast } = await import("./undo-last.ts");
    return undoLast(input, context);
  },
});

export const stop = command({
  name: "stop",
  describe: "Stop every agent and loop: nothing is sent to X until you resume",
  details:
    "Takes effect in every process on the same database, before the next request. You can still undo what was sent, with `tuitbot undo`. Profiles that store nothing, such as utility-write, do not see it.",
  options: {
    reason: { kind: "value", placeholder: "TEXT", describe: "The reason, shown to agents" },
  },
  examples: [
    { line: "tuitbot stop", does: "stops everything" },
    { line: 'tuitbot stop --reason "Wrong product name"', does: "the same, with a reason" },
  ],
  async run({ reason }, context) {
    const { stopEverything } = await import("./stop-all.ts");
    return stopEverything(reason, context);
  },
});

export const resume = command({
  name: "resume",
  describe: "End the stop: agents and loops can send again",
  examples: [{ line: "tuitbot resume", does: "everything goes on under the same rules as before" }],
  async run(_, context) {
    const { resumeEverything } = await import("./stop-all.ts");
    return resumeEverything(context);
  },
});
