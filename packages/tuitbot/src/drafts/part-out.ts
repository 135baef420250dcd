import type { Failure } from "@toolpact/contract";
import type { DraftRow } from "../storage/content-tables.ts";
import { listIn, objectIn, textIn } from "../x/shapes/x-object.ts";

/** What a draft keeps of a thread that was cut: which of its posts are out, and the handle that goes on after them. */
export function partOut({ details }: Failure): Partial<Pick<DraftRow, "resume" | "result_json">> {
  const told = objectIn(details);
  const resume = textIn(told, "resume");
  if (resume === undefined) return {};
  return { resume, result_json: JSON.stringify({ thread_tweet_ids: listIn(told, "posted_tweet_ids") }) };
}
