import { personVia, sameDigest } from "../guards/approval-item.ts";
import { visible } from "../guards/shown-text.ts";
import { answerToken } from "./answer-token.ts";
import { type ApproverContext, approverMessage, stateLine } from "./approver-message.ts";
import type { Answer, Reply } from "./channel.ts";
import type { Channel } from "./channels.ts";

const MAX_NOTE = 2_000;
const NOT_YOU = "You cannot decide this. Nothing was done.";
const OUTDATED = "This button is not for what waits now. Nothing was done.";
const CHANGED = "It is no longer waiting, or has changed.";
const NO_EDIT =
  "A call is sent as the agent made it, so it cannot be edited. To reject it with a reason, reply with /reject and the reason.";

/** Accepts only the service's user id, for the message's recipient and content, while the item waits. */
export async function takeApproverAnswer(
  context: ApproverContext,
  channel: Pick<Channel, "name">,
  answer: Answer,
): Promise<Reply> {
  const { storage, notices, recipients, key, now, similar } = context;
  const recipient = recipients.find(
    (one) => one.channel.name === channel.name && one.address === answer.userId,
  );
  if (recipient === undefined) return { text: NOT_YOU };
  const { person, address } = recipient;
  const to = { person: person.name, channel: channel.name };
  const id = "token" in answer ? answer.item : Number(await notices.subjectOf(to, answer.message));
  const item = Number.isSafeInteger(id) ? await storage.item(id) : undefined;
  if (item === undefined) return { text: OUTDATED };
  if ("token" in answer) {
    const { action } = answer;
    const own = answerToken(key, { scope: storage.scope, item, ...to, address, action });
    if (!sameDigest(answer.token, own)) return { text: OUTDATED };
  }
  if (item.status !== "waiting") return { text: stateLine(item) };
  const by = personVia(channel.name, JSON.stringify(person.name));
  const decide = async (approve: boolean, note = ""): Promise<Reply> => {
    const isDecided = await storage.decide({ id, digest: item.digest, approve, by, note, now: now() });
    const decided = await storage.item(id);
    return { text: isDecided && decided !== undefined ? stateLine(decided) : CHANGED };
  };
  switch (answer.action) {
    case "approve":
      return decide(true);
    case "reject":
      return decide(false);
    case "refuse":
      return decide(false, visible(answer.text.trim().slice(0, MAX_NOTE)));
    case "edit":
      return { text: NO_EDIT };
    case "show":
      return { text: "", shows: await approverMessage(context, item, recipient) };
    case "similar_day":
    case "similar_week": {
      if (similar === undefined) return { text: OUTDATED };
      const period = answer.action === "similar_day" ? "day" : "week";
      const approved = await similar.approve(item, { period, by });
      return {
        text: approved.ok ? `Item ${id} is approved, with similar calls for a ${period}.` : approved.failure,
      };
    }
  }
}
