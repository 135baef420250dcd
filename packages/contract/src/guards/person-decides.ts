import { failed } from "@toolpact/outcome";
import { type Call, guard } from "../call.ts";
import type { Clock } from "../clock.ts";
import { DAY_MS } from "../durations.ts";
import { EFFECTS } from "../effects.ts";
import type { JsonObject } from "../json.ts";
import type { AnyOutcome } from "../tool.ts";
import type { ApprovalItem } from "./approval-item.ts";
import { askFirst } from "./approval-queue.ts";
import { askPerson, type Consent, type DecisionRules } from "./ask-person.ts";
import { type CallNeeds, isTooMuch, tooMuch } from "./no-more-than.ts";
import { formatItem } from "./shown-item.ts";
import type { GuardStorage, Needs } from "./storage.ts";
import { peopleLine } from "./votes.ts";

export interface PersonDecidesOptions {
  /** The product's code for a call that waits for a person, or that they have rejected. */
  readonly code: string;
  /** Which calls need a person: those that change something, unless given. */
  readonly needs?: (call: Pick<Call, "tool" | "action" | "effect" | "input">) => boolean;
  /** How many different people have to approve a call; one unless given. */
  readonly people?: (call: Pick<Call, "tool" | "action" | "effect" | "input">) => number;
  /** Reads what a call is about, which people see beside it. */
  readonly about?: (call: Pick<Call, "tool" | "action" | "input" | "signal">) => Promise<JsonObject>;
  /** Whose answers through the client count, where the person may also be asked there; they are not unless given. */
  readonly inClient?: DecisionRules;
  /** For so long a person can decide; a day unless given. */
  readonly expiresMs?: number;
  /** The argument by which a caller names a call, as `nothingTwice` has it; `idempotency_key` unless given. */
  readonly keyArgument?: string;
}

/** The item that a person has approved, for the guard that stores the receipt. */
export interface ApprovedCall {
  readonly approvedItem?: number | undefined;
}

/** No item has this id, so that a call behind it is answered from a receipt or refused, and never sent. */
const NO_ITEM = 0;
const NO_NEEDS: Needs = { costMicros: 0, caps: {}, limits: [] };

/**
 * "A person decides": a call that needs one is stored with its exact arguments and answered with `code`. Once a person has
 * approved it (`storage.decide`), the same call passes, once. It stands before `nothingTwice`, which uses the item up, and
 * behind `noMoreThan`: nobody is asked about what could not be paid.
 */
export function personDecides({
  code,
  needs = changes,
  people = () => 1,
  about,
  inClient,
  expiresMs = DAY_MS,
  keyArgument = "idempotency_key",
}: PersonDecidesOptions) {
  return guard<{
    dependencies: { clock: Clock; guardStorage: GuardStorage };
    requires: Partial<CallNeeds>;
    adds: ApprovedCall;
  }>({
    name: "person decides",
    ordered: "personDecides",
    codes: () => [code],
    async run(call, next, { clock, guardStorage }) {
      if (!needs(call)) return next();
      const now = clock.now();
      const key = call.input[keyArgument];
      const identity = {
        tool: toolOf(call),
        args: call.input,
        key: typeof key === "string" ? key : undefined,
        principal: call.caller.principal,
      };
      const trial = await guardStorage.claim({
        ...identity,
        needs: call.context.needs ?? NO_NEEDS,
        sameCallMs: 0,
        now,
        leaseMs: 0,
        receiptId: "",
        isTrial: true,
      });
      if (!trial.ok)
        return isTooMuch(trial.failure)
          ? failed(tooMuch(code, trial.failure))
          : // What was released before has its answer behind this guard.
            next({ context: { approvedItem: NO_ITEM } });
      const asked = await askFirst(
        guardStorage,
        {
          ...identity,
          reason: `A person decides about ${toolOf(call)}.`,
          client: call.caller.client,
          peopleNeeded: people(call),
          expiresAt: now + expiresMs,
          heldUntil: 0,
          now,
        },
        about && (() => about(call)),
      );
      if (!asked.ok)
        return failed({
          code,
          reason: "inbox_full",
          message: "Too many calls wait for a person already. Nothing was done.",
          fixBy: "human",
        });
      let item = asked.value;
      if (inClient !== undefined && item.status === "waiting") {
        const shown = item;
        const consent = askPerson(call.ask, [shown], {
          to: "approve",
          caller: call.caller,
          rules: inClient,
          now,
          show: () => formatItem(shown, now),
        });
        if (consent.ok === null) return consent;
        if (consent.ok) await approve(guardStorage, consent, now);
        item = (await guardStorage.item(item.id)) ?? item;
      }
      if (item.status === "approved") return next({ context: { approvedItem: item.id } });
      return failed({ code, fixBy: "human", details: { item_id: item.id }, ...why(item) });
    },
  });
}

/** The item that an answer of this guard says the call waits for. */
export function waitingItem(outcome: AnyOutcome): number | undefined {
  if (outcome.ok !== false || outcome.failure.reason !== WAITING) return undefined;
  const id = outcome.failure.details?.item_id;
  return typeof id === "number" ? id : undefined;
}

const WAITING = "waiting";

/** What somebody has seen, which may not be what waits now. */
async function approve(storage: GuardStorage, { items, by }: Consent, now: number): Promise<void> {
  for (const { id, digest } of items) await storage.decide({ id, digest, approve: true, by, note: "", now });
}

function why(item: ApprovalItem) {
  const { id, status, note } = item;
  if (status === "rejected")
    return {
      reason: "rejected",
      message: `A person has rejected this call${note === undefined ? "" : `: ${note}`}. Nothing was done.`,
    };
  return {
    reason: WAITING,
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
