import type { Failed, Failure } from "@toolpact/contract";
import { priceBefore } from "@toolpact/x-api";
import { microsOf } from "../mutation/budget/money.ts";
import { urlPrice } from "../mutation/budget/refusals.ts";
import { linkSurcharge } from "../mutation/plan.ts";

/** What X would charge for the links in these posts, as a refusal; undefined where there are none. */
export function unacceptedLinks(texts: readonly string[]): Failed<Failure<"validation_error">> | undefined {
  const prices = texts.map((text) => microsOf(priceBefore("createPosts", { body: { text } }).usd));
  const surcharge = linkSurcharge(
    texts,
    prices.reduce((sum, micros) => sum + micros, 0),
  );
  return surcharge && urlPrice(surcharge);
}
