import { digest, type JsonObject } from "@toolpact/contract";
import { IDEMPOTENCY_KEY, OWN_KEY } from "../mutation/receipts/call-identity.ts";
import type { Draft } from "./draft.ts";

/** The call that publishes these texts: a post, or a thread if there are several. The same key makes it the same call. */
export function postingCall(
  texts: readonly string[],
  key: string,
): readonly [tool: string, args: JsonObject] {
  const named = { [IDEMPOTENCY_KEY]: `${OWN_KEY}${key}` };
  const [first = ""] = texts;
  return texts.length === 1
    ? ["x_post_tweet", { text: first, ...named }]
    : ["x_post_thread", { tweets: [...texts], ...named }];
}

/** Idempotency key for publishing a draft: the same texts of the same draft are published once. */
export function draftKey({ id, texts }: Pick<Draft, "id" | "texts">): string {
  return `draft-${id}-${digest(texts).slice(0, 16)}`;
}

/** Idempotency key for publishing a row of the schedule. */
export function scheduleKey(id: number): string {
  return `scheduled-${id}`;
}
