import { failed } from "@toolpact/outcome";
import { type Call, guard } from "../call.ts";
import type { Clock } from "../clock.ts";
import { EFFECTS } from "../effects.ts";
import type { ApprovalItem } from "./approval-item.ts";
import type { GuardStorage } from "./storage.ts";
import { peopleLine } from "./votes.ts";

export interface PersonDecidesOptions {
  /** The product's code for a call that waits for a person, or that they have rejected. */
  readonly code: string;
  /** Which calls need a person: those that change something, unless given. */
  readonly needs?: (call: Pick<Call, "tool" | "action" | "effect" | "input">) => boolean;
  /** How many different people have to approve a call; one unless given. */
  readonly people?: (call: Pick<Call, "tool" | "action" | "effect" | "input">) => number;
  /** For so long a person can decide; a day unless given. */
  readonly expiresMs?: number;
}

/** The item that a person has approved, for the guard that stores the receipt. */
export interface ApprovedCall {
  readonly approvedItem?: number | undefined;
}

const DAY_MS = 86_400_000;

/**
 * "A person decides": a call that needs one is stored with its exact arguments and answered with `code`. Once a person has
 * approved it (`storage.decide`), the same call passes, once. It stands before `nothingTwice`, which uses the item up.
 */
export function personDecides({
  code,
  needs = changes,
  people = () => 1,
  expiresMs = DAY_MS,
}: PersonDecidesOptions) {
  return guard<{ dependencies: { clock: Clock; guardStorage: GuardStorage }; adds: ApprovedCall }>({
    name: "person decides",
    codes: () => [code],
    async run(call, next, { clock, guardStorage }) {
      if (!needs(call)) return next();
      const now = clock.now();
      const identity = { tool: toolOf(call), args: call.input };
      // What was released before has its answer behind this guard.
      if ((await guardStorage.earlier(identity, { sameCallMs: 0, now })) !== undefined) return next();
      const proposed = await guardStorage.propose({
        ...identity,
        reason: `A person decides about ${toolOf(call)}.`,
        client: call.caller.client,
        principal: call.caller.principal,
        peopleNeeded: people(call),
        expiresAt: now + expiresMs,
        heldUntil: 0,
        now,
      });
      if (!proposed.ok)
        return failed({
          code,
          reason: "inbox_full",
          message: "Too many calls wait for a person already. Nothing was done.",
          fixBy: "human",
        });
      const item = proposed.value;
      if (item.status === "approved") return next({ context: { approvedItem: item.id } });
      return failed({ code, fixBy: "human", details: { item_id: item.id }, ...why(item) });
    },
  });
}

function why(item: ApprovalItem) {
  const { id, status, note } = item;
  if (status === "rejected")
    return {
      reason: "rejected",
      message: `A person has rejected this call${note === undefined ? "" : `: ${note}`}. Nothing was done.`,
    };
  return {
    reason: "waiting",
    message: [`This call waits for a person as item ${id}. Nothing was done yet.`, peopleLine(item)]
      .filter((line) => line !== undefined)
      .join(" "),
    suggestedFix: "Make the same call again once they have decided.",
  };
}

function changes({ effect }: Pick<Call, "effect">): boolean {
  return EFFECTS[effect].mutates;
}

/** The action is part of what is decided about. */
export function toolOf({ tool, action }: Pick<Call, "tool" | "action">): string {
  return action === undefined ? tool.name : `${tool.name} ${action}`;
}
