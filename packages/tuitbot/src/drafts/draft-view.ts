import { usdOf } from "@toolpact/contract/internal/money";
import { weighPost } from "@toolpact/x-api";
import * as z from "zod";
import { postsPrice } from "../guards/call/mutation.ts";
import { listIn, objectIn } from "../x/shapes/x-object.ts";
import type { Draft } from "./draft.ts";
import { optionsShape } from "./draft-options.ts";
import type { Revision } from "./find-draft.ts";

const time = z.string();

export const draftShape = {
  draft_id: z.number(),
  content_type: z.enum(["tweet", "thread"]),
  texts: z.array(z.string()).describe("One text for a post, several for a thread"),
  char_counts: z.array(z.number()).describe("Length of each text as X counts it, at most 280"),
  estimated_usd: z.number().describe("What X charges to publish it"),
  media: z.array(z.object({ post: z.number(), file_path: z.string(), alt_text: z.string().optional() })),
  options: optionsShape.optional().describe("The post it answers or quotes, a poll, labels"),
  topic: z.string().nullable(),
  format: z.string().nullable(),
  status: z.enum(["draft", "scheduled", "publishing", "queued", "published", "discarded"]),
  revision: z.number(),
  scheduled_for: time.nullable(),
  approval_queue_id: z.number().nullable().describe("Approval item that waits for a person"),
  approval: z
    .enum(["waiting", "approved"])
    .nullable()
    .describe("Whether a person has approved its content and time; null where nobody has to"),
  series: z
    .object({ id: z.number(), number: z.number(), of: z.number(), repeats: z.string(), until: z.string() })
    .nullable()
    .describe("Which of recurring posts it is"),
  tweet_ids: z.array(z.string()).describe("Ids of its published posts"),
  created_at: time,
  updated_at: time,
};

export function draftView(draft: Draft) {
  const { texts, topic = null, framework: format = null, status, revision, scheduledFor, result } = draft;
  const content_type: "thread" | "tweet" = texts.length > 1 ? "thread" : "tweet";
  return {
    draft_id: draft.id,
    content_type,
    texts: [...texts],
    char_counts: texts.map((text) => weighPost(text).weighted_length),
    estimated_usd: usdOf(postsPrice(texts)),
    media: draft.media.map(({ post, file_path, alt_text }) => ({
      post,
      file_path,
      ...(alt_text !== undefined && { alt_text }),
    })),
    ...(Object.keys(draft.options).length > 0 && { options: draft.options }),
    topic,
    format,
    status,
    revision,
    scheduled_for: scheduledFor === undefined ? null : iso(scheduledFor),
    approval_queue_id: draft.approvalId ?? null,
    approval: approvalOf(draft),
    series: seriesOf(draft),
    tweet_ids: postIds(result),
    created_at: iso(draft.createdAt),
    updated_at: iso(draft.updatedAt),
  };
}

function seriesOf({ series }: Draft) {
  if (series === undefined) return null;
  const { id, number, of, repeats, until } = series;
  return { id, number, of, repeats, until };
}

export function seriesView(drafts: readonly Draft[]) {
  return {
    series_id: drafts[0]?.id ?? 0,
    count: drafts.length,
    estimated_usd: usdOf(postsPrice(drafts.flatMap(({ texts }) => texts))),
    next: drafts.slice(0, MAX_SHOWN).map(({ id, scheduledFor = 0, texts: [text = ""] }) => ({
      draft_id: id,
      scheduled_for: iso(scheduledFor),
      text,
    })),
  };
}

const MAX_SHOWN = 10;

/** Null if no approval is needed. */
export function approvalOf({ status, approvalId, isApproved }: Draft): "waiting" | "approved" | null {
  if (approvalId === undefined || (status !== "scheduled" && status !== "queued")) return null;
  return isApproved ? "approved" : "waiting";
}

export const revisionShape = {
  revision: z.number(),
  at: time,
  by: z.string(),
  what: z.string(),
  texts: z.array(z.string()),
  scheduled_for: time.nullable(),
  status: z.string(),
  note: z.string().nullable(),
};

export function revisionView({ revision, at, by, what, texts, scheduledFor, status, note }: Revision) {
  return {
    revision,
    at: iso(at),
    by,
    what,
    texts: [...texts],
    scheduled_for: scheduledFor === undefined ? null : iso(scheduledFor),
    status,
    note: note ?? null,
  };
}

/** From x_post_tweet or x_post_thread. */
function postIds(result: unknown): string[] {
  const answer = objectIn(result);
  const ids = [answer.id, ...listIn(answer, "thread_tweet_ids")];
  return ids.filter((id) => typeof id === "string");
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
