import type { JsonObject } from "@toolpact/contract";
import { jsonOf, objectIn, textIn } from "../../x/shapes/x-object.ts";
import { resumeHandle } from "../../x/toolkit/thread-resume.ts";
import type { Receipt, Step } from "./receipt.ts";

/** What its receipt knows of a thread whose call did not live to say how far it came, as that call would have said it. */
export function cutThread(
  key: Uint8Array,
  { account, created_at }: Pick<Receipt, "account" | "created_at">,
  steps: readonly Step[],
  texts: readonly string[],
): JsonObject {
  const posted = steps
    .filter(({ state }) => state === "confirmed")
    .flatMap(({ answer_text }) => textIn(objectIn(jsonOf(answer_text ?? ""), "data"), "id") ?? []);
  const state = { by: account, begun: created_at, posted, isNextUncertain: false };
  const parts = texts.map((text) => ({ text, mediaIds: [] }));
  return { posted_tweet_ids: posted, resume: resumeHandle(key, state, parts) };
}
