import type { Failed, Failure } from "@toolpact/contract";
import { priceBefore } from "@toolpact/x-api";
import { linkPrice } from "../mutation/budget/budget-guard.ts";
import { microsOf } from "../mutation/budget/money.ts";

/** What X would take for the links in these posts, as a refusal; undefined where there are none. */
export function unacceptedLinks(texts: readonly string[]): Failed<Failure<"validation_error">> | undefined {
  const requests = texts.map((text) => ({
    operation: "createPosts",
    micros: microsOf(priceBefore("createPosts", { body: { text } }).usd),
  }));
  const refused = linkPrice({}, { posts: texts.map((text) => ({ text })), requests });
  // The price of a link is refused with this code alone.
  return refused as Failed<Failure<"validation_error">> | undefined;
}
