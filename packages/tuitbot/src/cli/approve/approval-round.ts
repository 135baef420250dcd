import { isDeepStrictEqual } from "node:util";
import { paint } from "@toolpact/cli";
import { visible } from "../../approval/consent.ts";
import { editable, edited } from "../../approval/editable.ts";
import type { ApprovalItem } from "../../approval/item.ts";
import type { Context } from "../context.ts";
import type { ApprovalDesk } from "./approval-desk.ts";
import { itemText, resultText } from "./approval-view.ts";

/** What a round came to. */
export interface Round {
  readonly approved: readonly number[];
  readonly rejected: readonly number[];
  readonly failed: readonly number[];
  /** Still waiting. */
  readonly left: readonly number[];
}

type Fate = "approved" | "rejected" | "failed" | "skipped" | "quit";

/** Shows the person one item after the other and does with each what they say. */
export async function round(
  desk: ApprovalDesk,
  items: readonly ApprovalItem[],
  context: Context,
): Promise<Round> {
  const fates = new Map<number, Fate>();
  for (const [index, item] of items.entries()) {
    context.terminal.out(`${items.length > 1 ? `${index + 1} of ${items.length}\n` : ""}`);
    const fate = await decide(desk, item, context);
    if (fate === "quit") break;
    fates.set(item.id, fate);
  }
  const ended = (fate: Fate) => items.map(({ id }) => id).filter((id) => fates.get(id) === fate);
  return {
    approved: ended("approved"),
    rejected: ended("rejected"),
    failed: ended("failed"),
    left: items.map(({ id }) => id).filter((id) => (fates.get(id) ?? "skipped") === "skipped"),
  };
}

async function decide(desk: ApprovalDesk, item: ApprovalItem, context: Context): Promise<Fate> {
  const { terminal, machine, signal } = context;
  terminal.out(itemText(item, desk.me, desk.now(), terminal));
  if (item.status === "releasing") return settle(desk, item, context);
  for (;;) {
    terminal.out(paint(terminal, "cyan", "  [a] approve  [r] reject  [e] edit  [s] skip  [q] quit "));
    const key = await machine.readKey(signal);
    terminal.out("\n");
    switch (key) {
      case "a":
        return approve(desk, item, context);
      case "r": {
        const rejected = await desk.reject(item.id);
        if (!rejected.ok) return complain(rejected.failure.message, context);
        terminal.out("  Rejected.\n\n");
        return "rejected";
      }
      case "e": {
        const changed = await edit(desk, item, context);
        if (changed !== undefined) return decide(desk, changed, context);
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

/** It was approved and sent, and X did not answer: only somebody who looks at X knows. */
async function settle(desk: ApprovalDesk, { id }: ApprovalItem, context: Context): Promise<Fate> {
  const { terminal, machine, signal } = context;
  terminal.out("  It was approved and sent, and X did not answer. Look at X whether it is out.\n");
  for (;;) {
    terminal.out(paint(terminal, "cyan", "  [d] it is out  [r] it is not  [s] skip  [q] quit "));
    const key = await machine.readKey(signal);
    terminal.out("\n");
    switch (key) {
      case "d":
      case "r": {
        const settled = await desk.settle(id, key === "d");
        if (!settled.ok) return complain(settled.failure.message, context);
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

async function approve(desk: ApprovalDesk, item: ApprovalItem, context: Context): Promise<Fate> {
  const released = await desk.approve(item);
  if (!released.ok) return complain(released.failure.message, context);
  context.terminal.out(`  ${paint(context.terminal, "green", resultText(released.value))}\n\n`);
  return "approved";
}

function complain(message: string, { terminal }: Context): Fate {
  // X may be quoted in it.
  terminal.out(`  ${paint(terminal, "red", visible(message))}\n\n`);
  return "failed";
}

/** The item as the person made it; undefined where they changed nothing that can be kept. */
async function edit(
  desk: ApprovalDesk,
  item: ApprovalItem,
  { terminal, machine }: Context,
): Promise<ApprovalItem | undefined> {
  const { text, ending } = editable(item.args);
  const typed = await machine.edit(text, ending, terminal.env);
  if (!typed.ok) {
    terminal.out(`  ${paint(terminal, "red", typed.failure)}\n`);
    return undefined;
  }
  const args = edited(item.args, typed.value);
  if (args.ok && isDeepStrictEqual(args.value, item.args)) {
    terminal.out("  Nothing was changed.\n");
    return undefined;
  }
  const changed = args.ok ? await desk.edit(item, args.value) : args;
  if (changed.ok) return changed.value;
  const message = typeof changed.failure === "string" ? changed.failure : changed.failure.message;
  terminal.out(`  ${paint(terminal, "red", visible(message))}\n`);
  return undefined;
}
