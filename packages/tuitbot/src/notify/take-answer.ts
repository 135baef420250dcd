import type { Failure } from "@toolpact/contract";
import { personVia } from "@toolpact/contract/internal/guards";
import { type Answer, answerToken, type Channel, type Reply } from "@toolpact/contract/internal/notify";
import type { Outcome } from "@toolpact/outcome";
import type { Approvals } from "../app/approvals.ts";
import { addedRule } from "../app/rule-words.ts";
import { applyEdit } from "../approval/edit.ts";
import type { QueuedMutation } from "../approval/item.ts";
import { findItem } from "../approval/queue.ts";
import {
  type Answerer,
  buttonOf,
  isToken,
  itemMessage,
  type MessageContext,
  mayDecide,
  stateLine,
} from "./messages.ts";
import type { Person } from "./person.ts";
import type { Recipient } from "./recipients.ts";

export interface AnswerContext extends MessageContext {
  readonly recipients: readonly Recipient[];
  readonly approvalsBy: (
    by: string,
    mayDecide: () => Promise<boolean>,
  ) => Pick<Approvals, "approve" | "approveSimilar" | "reject" | "edit">;
  /** As configured; undefined if removed. */
  readonly personNow: (name: string) => Promise<Person | undefined>;
}

/** Accepts only the service's user id, for the message's recipient and content, while the item waits. */
export async function takeAnswer(
  context: AnswerContext,
  channel: Pick<Channel, "name">,
  answer: Answer,
): Promise<Reply> {
  const recipient = context.recipients.find(
    (one) => one.channel.name === channel.name && one.address === answer.userId,
  );
  if (recipient === undefined) return { text: NOT_YOU };
  const mayDecideNow = async () => {
    const person = await context.personNow(recipient.person.name);
    return person !== undefined && mayDecide(person) && recipient.channel.addressOf(person) === answer.userId;
  };
  if (!(await mayDecideNow())) return { text: NOT_YOU };
  const answerer: Answerer = { ...recipient, channel: channel.name };
  const seen =
    "token" in answer
      ? await itemOfButton(context, answerer, answer)
      : await itemOfMessage(context, answerer, answer.message);
  if (typeof seen === "string") return { text: seen };
  if (seen.status !== "pending") return { text: stateLine(seen) };
  if (answer.action === "show")
    return { text: "", shows: await itemMessage(context, `show-${seen.id}`, seen, answerer) };
  const by = personVia(channel.name, JSON.stringify(recipient.person.name));
  const { approve, approveSimilar, reject, edit } = context.approvalsBy(by, mayDecideNow);
  switch (answer.action) {
    case "approve":
      return reply(await approve(seen));
    case "similar_day":
    case "similar_week": {
      const approved = await approveSimilar(seen, answer.action === "similar_day" ? "day" : "week");
      if (!approved.ok) return { text: failureText(approved.failure) };
      const { rule } = approved.value;
      return { text: `${stateLine(approved.value)} ${addedRule(rule)}` };
    }
    case "reject":
      return reply(await reject(seen, undefined));
    case "refuse":
      return reply(await reject(seen, answer.text.trim() || undefined));
    case "edit": {
      if (typeof seen.args.text !== "string")
        return { text: "This item has no text to edit here. Edit it on the page or with `tuitbot approve`." };
      const args = applyEdit(seen.args, answer.text);
      if (!args.ok) return { text: args.failure };
      const edited = await edit(seen, args.value);
      return edited.ok
        ? { text: `Item ${seen.id} is changed. The new text comes for approval.` }
        : { text: failureText(edited.failure) };
    }
  }
}

const NOT_YOU = "You cannot decide this. Nothing was done.";
const OUTDATED = "This button is not for what waits now. Nothing was done.";

/** Or why it does not count. */
async function itemOfButton(
  context: AnswerContext,
  answerer: Answerer,
  { item: id, action, token }: Extract<Answer, { readonly token: string }>,
): Promise<QueuedMutation | string> {
  const found = await findItem(context.store.db, context.account, id);
  if (!found.ok) return OUTDATED;
  return isToken(token, answerToken(context.key, buttonOf(context, found.value, answerer, action)))
    ? found.value
    : found.value.status === "pending"
      ? OUTDATED
      : stateLine(found.value);
}

/** If unchanged since. */
async function itemOfMessage(
  { store, account }: AnswerContext,
  { person, channel }: Answerer,
  message: string,
): Promise<QueuedMutation | string> {
  const notice = await store.db
    .selectFrom("notices")
    .select(["approval_id", "digest"])
    .where("account", "=", account)
    .where("person", "=", person.name)
    .where("channel", "=", channel)
    .where("message", "=", message)
    .executeTakeFirst();
  if (notice === undefined || notice.approval_id === null) return OUTDATED;
  const found = await findItem(store.db, account, notice.approval_id);
  if (!found.ok) return OUTDATED;
  return found.value.digest === notice.digest ? found.value : OUTDATED;
}

function reply(decided: Outcome<QueuedMutation, Failure>): Reply {
  return { text: decided.ok ? stateLine(decided.value) : failureText(decided.failure) };
}

function failureText({ message, suggestedFix }: Failure): string {
  return suggestedFix === undefined ? message : `${message} ${suggestedFix}`;
}
