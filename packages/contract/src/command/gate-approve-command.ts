import { userInfo } from "node:os";
import { type Command, commandFor, paint, type Terminal } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { approveSimilar, offerSimilar, offerText } from "../gate/approve-similar.ts";
import { argumentParts, partsText } from "../gate/call-parts.ts";
import { indented, itemText } from "../gate/item-text.ts";
import { worksHere } from "../gate/policy.ts";
import { type ApprovalItem, personVia } from "../guards/approval-item.ts";
import type { SimilarFor } from "../guards/learning/allow-similar.ts";
import type { Receipt } from "../guards/receipt.ts";
import { formatDuration, visible } from "../guards/shown-text.ts";
import type { GuardStorage } from "../guards/storage.ts";
import { openPolicy, policyOption } from "./gate-place.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

export const gateApproveCommand: Command<Machine> = command({
  name: "approve",
  describe: "Show waiting calls, and approve or reject them",
  details:
    "Calls whose answer was lost come first: check whether each took effect, and record the result. Waiting calls follow, each with its exact arguments. Invisible characters are written as their numbers. Deciding needs an interactive terminal; --list does not.",
  args: { item: { describe: "The number of one item; all waiting items unless given", required: false } },
  options: {
    ...policyOption,
    list: { kind: "flag", describe: "Only show the calls" },
  },
  examples: [
    { line: "toolpact gate approve", does: "asks about every waiting call" },
    { line: "toolpact gate approve 12", does: "asks about item 12" },
    { line: "toolpact gate approve --list --output json", does: "prints waiting calls as JSON" },
  ],
  async run({ item: number, list, policy: file }, { terminal, signal }) {
    const opened = await openPolicy(file, { terminal });
    if (!opened.ok) return opened;
    const { storage, policy } = opened.value;
    const readsFiles = (tool: string) => worksHere(policy, tool);
    try {
      const now = Date.now();
      const doubts = number === undefined ? await storage.inDoubt(now) : [];
      const waiting = (await storage.items("waiting", now)).filter(
        ({ id }) => number === undefined || String(id) === number,
      );
      if (number !== undefined && waiting.length === 0)
        return failed({ message: `Item ${JSON.stringify(number)} is not waiting.` });
      if (list || doubts.length + waiting.length === 0)
        return ok({
          text:
            [
              ...doubts.map((receipt) => doubtText(receipt, now)),
              ...(await Promise.all(waiting.map((item) => itemText(item, now, readsFiles(item.tool))))),
            ].join("\n") || "Nothing is waiting for approval.",
          json: { in_doubt: doubts.map(doubtJson), waiting: waiting.map(itemJson) },
        });
      if (!terminal.isInteractive)
        return failed({
          message: "Deciding needs an interactive terminal.",
          fix: "Run it in a terminal, open toolpact gate web, or list waiting calls with --list.",
        });
      const by = personVia("terminal", `user ${JSON.stringify(userInfo().username)}`);
      for (const receipt of doubts)
        if (!(await askAboutDoubt(storage, receipt, by, terminal, signal))) return ok(undefined);
      for (const item of waiting)
        if (
          !(await askAboutItem(
            { storage, policy: policy.path, by },
            item,
            readsFiles(item.tool),
            terminal,
            signal,
          ))
        )
          return ok(undefined);
      return ok(undefined);
    } finally {
      await storage.close();
    }
  },
});

interface Approver {
  readonly storage: GuardStorage;
  readonly policy: string;
  readonly by: string;
}

/** Returns false to stop. */
async function askAboutItem(
  { storage, policy, by }: Approver,
  item: ApprovalItem,
  readsFiles: boolean,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<boolean> {
  terminal.out(`${await itemText(item, Date.now(), readsFiles)}\n`);
  const question = "[a]pprove, approve and allow similar for a [d]ay or [w]eek, [r]eject, [s]kip or [q]uit? ";
  const word = await oneOf(["approve", "day", "week", "reject", "skip", "quit"], question, terminal, signal);
  if (word === "quit") return false;
  if (word === "skip") return true;
  if (word === "day" || word === "week")
    return askAboutSimilar({ storage, policy, by }, item, word, terminal, signal);
  const approve = word === "approve";
  const note = approve ? "" : ((await terminal.ask("Why? The agent reads this: ", signal)) ?? "");
  const { id, digest } = item;
  const isDecided = await storage.decide({
    id,
    digest,
    approve,
    by,
    note: visible(note.trim()),
    now: Date.now(),
  });
  if (!isDecided) terminal.out(`${paint(terminal, "yellow", "It is no longer waiting.")}\n\n`);
  else if (approve)
    terminal.out(`${paint(terminal, "green", `Approved. A running gate sends item ${id} once.`)}\n\n`);
  else terminal.out(`${paint(terminal, "red", "Rejected. Nothing is sent.")}\n\n`);
  return true;
}

async function askAboutSimilar(
  approver: Approver,
  item: ApprovalItem,
  period: SimilarFor,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<boolean> {
  const choice = { period, by: approver.by, now: Date.now() };
  const offer = await offerSimilar(item, choice, approver.storage);
  if (!offer.ok) {
    terminal.out(`${paint(terminal, "yellow", `No rule: ${visible(offer.failure)}`)}\n\n`);
    return true;
  }
  terminal.out(`${indented(offerText(offer.value).join("\n"))}\n`);
  const word = await oneOf(
    ["yes", "no", "quit"],
    "Approve with this rule, [y]es or [n]o? ",
    terminal,
    signal,
  );
  if (word !== "yes") return word !== "quit";
  const approved = await approveSimilar(item, choice, approver);
  terminal.out(
    approved.ok
      ? `${paint(terminal, "green", `Approved. Take the rule back with: toolpact gate rules --off ${item.id}`)}\n\n`
      : `${paint(terminal, "yellow", visible(approved.failure))}\n\n`,
  );
  return true;
}

async function askAboutDoubt(
  storage: GuardStorage,
  receipt: Receipt,
  by: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<boolean> {
  terminal.out(`${doubtText(receipt, Date.now())}\n`);
  const question = "Was it [d]one, [n]ot done, [s]kip or [q]uit? ";
  const word = await oneOf(["done", "not done", "skip", "quit"], question, terminal, signal);
  if (word === "quit") return false;
  if (word === "skip") return true;
  const isDone = word === "done";
  const isSettled = await storage.resolve(receipt.id, { isDone, by, note: "" }, Date.now());
  terminal.out(isSettled ? "Recorded. Nothing is sent.\n\n" : "Its outcome is already recorded.\n\n");
  return true;
}

/** Accepts a word or its first letter. End of input quits. */
async function oneOf<Word extends string>(
  words: readonly [...Word[], "quit"],
  question: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Word | "quit"> {
  for (;;) {
    const answer = await terminal.ask(question, signal);
    if (answer === undefined) return "quit";
    const given = answer.trim().toLowerCase();
    const meant = words.find((word) => given === word || given === word[0]);
    if (meant !== undefined) return meant;
  }
}

function doubtText({ id, tool, args, note, createdAt }: Receipt, now: number): string {
  return [
    `Unknown outcome: ${visible(tool)}, sent ${formatDuration(now - createdAt)} ago (receipt ${id})`,
    `  ${visible(note ?? "")}`,
    indented(partsText(argumentParts(args))),
    "",
  ].join("\n");
}

function itemJson({ id, tool, args, reason, client, createdAt, expiresAt }: ApprovalItem) {
  return { id, tool, arguments: args, reason, client, created_at: createdAt, expires_at: expiresAt };
}

function doubtJson({ id, tool, args, note, createdAt }: Receipt) {
  return { receipt_id: id, tool, arguments: args, note, sent_at: createdAt };
}
