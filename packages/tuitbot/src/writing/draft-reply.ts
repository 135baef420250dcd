import { type Failure, type Outcome, ok } from "@toolpact/contract";
import { latestReplies } from "../mutation/safety/latest-replies.ts";
import { isSimilar } from "../mutation/safety/phrasing.ts";
import { answerable, type Candidate } from "./candidate.ts";
import type { Archetype } from "./frameworks.ts";
import { type Desk, draftReply, type WrittenReply } from "./write.ts";

export interface ReplyStyle {
  readonly archetype?: Archetype | undefined;
  readonly mentionProduct: boolean;
}

export interface DraftedReply extends WrittenReply {
  readonly candidate: Candidate;
  readonly risks: readonly string[];
}

/** A reply to a found post, written only where it could be sent. */
export async function draftFor(
  desk: Desk,
  id: string,
  { archetype, mentionProduct }: ReplyStyle,
  signal: AbortSignal,
): Promise<Outcome<DraftedReply, Failure>> {
  const candidate = await answerable(desk, id);
  if (!candidate.ok) return candidate;
  const { author_username, text, is_summons } = candidate.value;
  const ask = { post: { author: author_username, text }, isSummoned: is_summons === 1, mentionProduct };
  const written = await draftReply(desk, { ...ask, archetype }, signal);
  if (!written.ok) return written;
  const risks = await risksOf(desk, written.value.text);
  return ok({ ...written.value, candidate: candidate.value, risks });
}

async function risksOf({ store, account, config }: Desk, text: string): Promise<readonly string[]> {
  const said = text.toLowerCase();
  const phrases = config.limits.banned_phrases.filter((phrase) => said.includes(phrase.toLowerCase()));
  const earlier = await latestReplies(store.db, account);
  return [
    ...phrases.map((phrase) => `contains_banned_phrase: ${phrase}`),
    ...(earlier.some((other) => isSimilar(text, other)) ? ["similar_to_recent_reply"] : []),
  ];
}

/** How likely a reply fits, by the room that it leaves. */
export function confidenceIn(weightedLength: number): "high" | "medium" | "low" {
  if (weightedLength < 200) return "high";
  return weightedLength < 260 ? "medium" : "low";
}
