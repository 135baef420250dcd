import { type Failure, type Outcome, ok } from "@toolpact/contract";
import { latestReplies } from "../guards/safety/check-reply.ts";
import { isSimilar } from "../guards/safety/phrasing.ts";
import { answerablePost, type Candidate } from "./candidate.ts";
import type { Archetype } from "./frameworks.ts";
import { draftReply, type WritingContext, type WrittenReply } from "./write.ts";

export interface ReplyStyle {
  readonly archetype?: Archetype | undefined;
  readonly mentionProduct: boolean;
  readonly keepsFlagged?: boolean | undefined;
}

export interface DraftedReply extends WrittenReply {
  readonly candidate: Candidate;
  readonly risks: readonly string[];
}

/** Drafts a reply to a found post, if it could be sent. */
export async function draftReplyToPost(
  context: WritingContext,
  id: string,
  { archetype, mentionProduct, keepsFlagged }: ReplyStyle,
  signal: AbortSignal,
): Promise<Outcome<DraftedReply, Failure>> {
  const candidate = await answerablePost(context, id);
  if (!candidate.ok) return candidate;
  const { author_username, text, is_summons } = candidate.value;
  const ask = { post: { author: author_username, text }, isSummoned: is_summons === 1, mentionProduct };
  const written = await draftReply(context, { ...ask, archetype, keepsFlagged }, signal);
  if (!written.ok) return written;
  const risks = await risksOf(context, written.value.text);
  return ok({ ...written.value, candidate: candidate.value, risks });
}

async function risksOf({ store, account, config }: WritingContext, text: string): Promise<readonly string[]> {
  const said = text.toLowerCase();
  const phrases = config.limits.banned_phrases.filter((phrase) => said.includes(phrase.toLowerCase()));
  const earlier = await latestReplies(store.db, account);
  return [
    ...phrases.map((phrase) => `contains_banned_phrase: ${phrase}`),
    ...(earlier.some((other) => isSimilar(text, other)) ? ["similar_to_recent_reply"] : []),
  ];
}
