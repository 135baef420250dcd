import { type Failed, failed } from "@toolpact/outcome";
import * as z from "zod";
import { type Asking, type Asks, askFor, type Reply } from "../ask.ts";
import type { Caller } from "../call.ts";
import { yesOrNo } from "../consent.ts";
import { quotedClient } from "./shown-item.ts";

export interface AskPersonOptions<Item> {
  readonly to: "approve" | "reject";
  readonly caller: Caller;
  readonly rules: DecisionRules;
  readonly now: number;
  /** Formats an item exactly as it would be executed. */
  readonly show: (item: Item) => string;
}

export interface DecisionRules {
  readonly allowsAgent: boolean;
  /** True if answers over HTTP with this principal's token count as a person's. */
  readonly trustsHttp: (principal: string) => boolean;
}

/** The decided items, as they were shown. */
export interface Consent {
  readonly ok: true;
  readonly items: readonly SeenItem[];
  readonly by: string;
  readonly reason?: string | undefined;
}

/** An item with the content that was shown. */
export interface SeenItem {
  readonly id: number;
  readonly digest: string;
}

export type NoConsent =
  /** `why` ends the sentence "Only a person can decide this, and". */
  { readonly kind: "needs_person"; readonly why: string } | { readonly kind: "not_confirmed" };

/**
 * Asks the person behind the client and shows exactly what would be executed. An agent cannot decide for them:
 * if the client cannot ask, or its answer would prove nothing, the failure has the reason.
 *
 * ```ts
 * function run(item: ApprovalItem, { ask, caller }: RunTools) {
 *   return askPerson(ask, [item], {
 *     to: "approve",
 *     caller,
 *     rules: { allowsAgent: false, trustsHttp: () => false },
 *     now: Date.now(),
 *     show: (item) => formatItem(item, Date.now()),
 *   });
 * }
 * ```
 */
export function askPerson<Item extends SeenItem>(
  ask: Asking,
  items: readonly Item[],
  { to, caller, rules, now, show }: AskPersonOptions<Item>,
): Consent | Asks | Failed<NoConsent> {
  const seenItems = items.map(({ id, digest }) => ({ id, digest }));
  if (rules.allowsAgent) return { ok: true, items: seenItems, by: deciderOf("agent", caller) };
  if (!reachesPerson(caller, rules)) return needsPerson("an answer over this connection does not prove one");
  if (!ask.can("form")) return needsPerson("this client cannot ask one");
  const form = FORMS[to];
  const reply = ask.reply(to);
  if (reply.kind === "missing") {
    const message = items.map(show).join("\n\n");
    return askFor({ [to]: { kind: "form", message, schema: form } }, { asked_at: now, items: seenItems });
  }
  // Only items that were shown count, whatever waits now.
  const asked = askedShape.safeParse(ask.state);
  if (!asked.success) return needsPerson("the answer does not say what was shown");
  if (isDeclinedByPerson(reply, now - asked.data.asked_at)) return failed({ kind: "not_confirmed" });
  const isForm = reply.kind === "accepted" && form.safeParse(reply.content).success;
  switch (isForm ? personsAnswer(reply, to) : "no_answer") {
    case "yes":
      return { ok: true, items: asked.data.items, by: deciderOf("person", caller), ...reasonIn(reply) };
    case "no":
      return failed({ kind: "not_confirmed" });
    case "no_answer":
      return needsPerson("nobody has answered the form");
  }
}

export type PersonsAnswer = "yes" | "no" | "no_answer";

/** Ignores a closed or declined form: clients without a user do both automatically. */
export function personsAnswer(reply: Reply, name: string): PersonsAnswer {
  const said = reply.kind === "accepted" ? reply.content[name] : undefined;
  return said === "yes" || said === "no" ? said : "no_answer";
}

/** Milliseconds. A person needs longer to read and decline a form; a client without one needs a few. */
const FASTEST_PERSON_MS = 300;

/** A decline counts as a person's only if it took long enough. */
function isDeclinedByPerson(reply: Reply, tookMs: number): boolean {
  return reply.kind === "refused" && reply.action === "decline" && tookMs >= FASTEST_PERSON_MS;
}

export const MAX_REASON = 500;

const LEAVE = "No, leave it waiting";
const FORMS = {
  approve: z.object({ approve: yesOrNo({ title: "Approve?", no: LEAVE, yes: "Yes, send it" }) }),
  reject: z.object({
    reject: yesOrNo({ title: "Reject?", no: LEAVE, yes: "Yes, reject it" }),
    reason: z.string().max(MAX_REASON).optional().meta({ title: "Why? The agent reads this." }),
  }),
} as const;

/** The shown items and the time, returned with the answer. */
const askedShape = z.object({
  asked_at: z.number(),
  items: z.array(z.object({ id: z.number(), digest: z.string() })),
});

function needsPerson(why: string): Failed<NoConsent> {
  return failed({ kind: "needs_person", why });
}

function reasonIn(reply: Reply): Pick<Consent, "reason"> {
  const reason = reply.kind === "accepted" ? reply.content.reason : undefined;
  return typeof reason === "string" && reason.trim() !== "" ? { reason: reason.trim() } : {};
}

/**
 * On stdio the user started the client. Over HTTP a client can answer by itself, so the operator must trust
 * its token.
 */
function reachesPerson({ transport, principal }: Caller, { trustsHttp }: DecisionRules): boolean {
  return transport === "stdio" || (transport === "http" && principal !== undefined && trustsHttp(principal));
}

function deciderOf(kind: "person" | "agent", { transport, client, principal }: Caller): string {
  return [
    `${kind} via ${transport}`,
    ...(client === undefined ? [] : [quotedClient(client)]),
    ...(principal === undefined ? [] : [principal]),
  ].join(", ");
}

export function isAgent(by: string | undefined): boolean {
  return by?.startsWith("agent via ") === true;
}
