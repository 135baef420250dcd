import { isDeepStrictEqual } from "node:util";
import { paint } from "@toolpact/cli";
import type { SimilarFor } from "@toolpact/contract/internal/guards";
import { escapeInvisible } from "@toolpact/contract/internal/text";
import type { Approvals } from "../../app/approvals.ts";
import { similarSentence } from "../../app/learned-rules.ts";
import { addedRule } from "../../app/rule-words.ts";
import { applyEdit, toEditable } from "../../approval/edit.ts";
import { offersSimilar, type QueuedMutation } from "../../approval/item.ts";
import { waitsForOthers } from "../../approval/vote.ts";
import type { Context } from "../context.ts";
import { type ItemViewer, itemText, resultText } from "./approval-view.ts";

export type TerminalApprovals = Approvals & ItemViewer;

/** The items by what the person decided. */
export interface Decisions {
  readonly approved: readonly number[];
  readonly rejected: readonly number[];
  readonly failed: readonly number[];
}

type Decision = "approved" | "rejected" | "failed" | "skipped" | "quit";

/** Shows one item after the other, asks about each and carries out the decision. */
export async function askAboutItems(
  session: TerminalApprovals,
  items: readonly QueuedMutation[],
  context: Context,
): Promise<Decisions> {
  const decisions = new Map<number, Decision>();
  for (const [index, item] of items.entries()) {
    context.terminal.out(`${items.length > 1 ? `${index + 1} of ${items.length}\n` : ""}`);
    const decision = await decide(session, item, context);
    if (decision === "quit") break;
    decisions.set(item.id, decision);
  }
  const withDecision = (decision: Decision) =>
    items.map(({ id }) => id).filter((id) => decisions.get(id) === decision);
  return {
    approved: withDecision("approved"),
    rejected: withDecision("rejected"),
    failed: withDecision("failed"),
  };
}

async function decide(session: TerminalApprovals, seen: QueuedMutation, context: Context): Promise<Decision> {
  const { terminal, signal } = context;
  const item = await session.withContext(seen);
  const files = (await session.filesOf([item])).get(item.id) ?? [];
  terminal.out(itemText(item, files, session, terminal));
  if (item.status === "releasing") return settle(session, item, context);
  for (;;) {
    const similar = similarSentence(item);
    const isOffered = offersSimilar(item) && similar !== null;
    if (isOffered) terminal.out(`  ${SIMILAR_KEYS} ${escapeInvisible(similar)}\n`);
    terminal.out(paint(terminal, "cyan", "  [a] approve  [r] reject  [e] edit  [s] skip  [q] quit "));
    const { key, changed } = await keyOrChange(session, item, context);
    terminal.out("\n");
    if (changed !== undefined) {
      terminal.out(`  ${paint(terminal, "yellow", changeText(changed))}\n\n`);
      return changed.status === "pending" ? decide(session, changed, context) : "skipped";
    }
    switch (key) {
      case "a":
        return approve(session, item, context);
      case "d":
      case "w":
        if (isOffered) return approveSimilar(session, item, key === "d" ? "day" : "week", context);
        terminal.out("  Nothing was done: calls like this one are decided one by one.\n");
        break;
      case "r": {
        const reason = await terminal.ask("  Why? The agent reads it. Enter for no reason: ", signal);
        const rejected = await session.reject(item, reason?.trim() || undefined);
        if (!rejected.ok) return printFailure(rejected.failure.message, context);
        terminal.out("  Rejected.\n\n");
        return "rejected";
      }
      case "e": {
        const edited = await edit(session, item, context);
        if (edited !== undefined) return decide(session, edited, context);
        break;
      }
      case "s":
        terminal.out("  Skipped; it still waits.\n\n");
        return "skipped";
      case "q":
      case undefined:
        return "quit";
      default:
        terminal.out("  Nothing was done: press a, r, e, s or q.\n");
    }
  }
}

/** The key that was pressed, or the item as it is now where it was decided or edited elsewhere before that. */
async function keyOrChange(
  session: TerminalApprovals,
  item: QueuedMutation,
  { machine, signal }: Context,
): Promise<{ readonly key?: string | undefined; readonly changed?: QueuedMutation | undefined }> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const changing = session.untilChanged(item, either).then((changed) => {
    over.abort();
    return changed;
  });
  const key = await machine.readKey(either);
  over.abort();
  const changed = await changing;
  // A key that was pressed before the change was seen counts: what it does looks at the item again.
  return key === undefined ? { changed } : { key };
}

function changeText({ status, decidedBy }: QueuedMutation): string {
  const by = escapeInvisible(decidedBy ?? "somebody else");
  switch (status) {
    case "pending":
      return "It was edited meanwhile.";
    case "expired":
      return decidedBy === undefined ? "It has expired." : "It was withdrawn meanwhile.";
    case "rejected":
      return `Meanwhile rejected by ${by}.`;
    default:
      return `Meanwhile approved by ${by}.`;
  }
}

/** Asks about an item that was approved and sent while X did not answer. Only a look at X can tell. */
async function settle(
  session: TerminalApprovals,
  { id }: QueuedMutation,
  context: Context,
): Promise<Decision> {
  const { terminal, machine, signal } = context;
  terminal.out("  It was approved and sent, and X did not answer. Check on X whether it was posted.\n");
  for (;;) {
    terminal.out(paint(terminal, "cyan", "  [d] it is out  [r] it is not  [s] skip  [q] quit "));
    const key = await machine.readKey(signal);
    terminal.out("\n");
    switch (key) {
      case "d":
      case "r": {
        const settled = await session.settle(id, key === "d");
        if (!settled.ok) return printFailure(settled.failure.message, context);
        terminal.out(
          key === "d" ? "  Noted: it is out.\n\n" : "  Noted: it is not out, and will not be.\n\n",
        );
        return key === "d" ? "approved" : "rejected";
      }
      case "s":
        terminal.out("  Skipped; it is still open.\n\n");
        return "skipped";
      case "q":
      case undefined:
        return "quit";
      default:
        terminal.out("  Nothing was done: press d, r, s or q.\n");
    }
  }
}

async function approve(
  session: TerminalApprovals,
  item: QueuedMutation,
  context: Context,
): Promise<Decision> {
  const released = await session.approve(item);
  if (!released.ok) return printFailure(released.failure.message, context);
  context.terminal.out(
    `  ${paint(context.terminal, "green", resultText(released.value, session.timezone))}\n\n`,
  );
  return waitsForOthers(released.value) ? "skipped" : "approved";
}

const SIMILAR_KEYS = "[d] or [w] approves it, and for a day or a week:";

async function approveSimilar(
  session: TerminalApprovals,
  item: QueuedMutation,
  period: SimilarFor,
  context: Context,
): Promise<Decision> {
  const approved = await session.approveSimilar(item, period);
  if (!approved.ok) return printFailure(approved.failure.message, context);
  const { terminal } = context;
  terminal.out(`  ${paint(terminal, "green", resultText(approved.value, session.timezone))}\n`);
  terminal.out(`  ${escapeInvisible(addedRule(approved.value.rule))}\n\n`);
  return "approved";
}

function printFailure(message: string, { terminal }: Context): Decision {
  // The message may quote X.
  terminal.out(`  ${paint(terminal, "red", escapeInvisible(message))}\n\n`);
  return "failed";
}

/** Returns the edited item; undefined if it was left unchanged or the change was rejected. */
async function edit(
  session: TerminalApprovals,
  item: QueuedMutation,
  { terminal, machine }: Context,
): Promise<QueuedMutation | undefined> {
  const { text, ending } = toEditable(item.args);
  const typed = await machine.edit(text, ending, terminal.env);
  if (!typed.ok) {
    terminal.out(`  ${paint(terminal, "red", typed.failure)}\n`);
    return undefined;
  }
  const args = applyEdit(item.args, typed.value);
  if (args.ok && isDeepStrictEqual(args.value, item.args)) {
    terminal.out("  Nothing was changed.\n");
    return undefined;
  }
  const changed = args.ok ? await session.edit(item, args.value) : args;
  if (changed.ok) return changed.value;
  const message = typeof changed.failure === "string" ? changed.failure : changed.failure.message;
  terminal.out(`  ${paint(terminal, "red", escapeInvisible(message))}\n`);
  return undefined;
}
