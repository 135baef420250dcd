import { operations, prices } from "@toolpact/x-api/operations";
import type { TuitbotTool } from "../guards/call/tool-facts.ts";

/** What X charges for a call of a tool, in words; undefined for tools that never ask X. */
export function toolCost({ facts }: TuitbotTool): string | undefined {
  const classes = [...new Set(facts.operations?.map((id) => operations[id].price ?? "free"))];
  return classes.length === 0 ? undefined : classes.map(priceInWords).join("; ");
}

function priceInWords(priceClass: string): string {
  const perRequest = prices.perRequest[priceClass];
  const perResource = prices.perResource[priceClass];
  if (priceClass === "post_create")
    return `$${perRequest} for each post, $${prices.perRequest.post_create_with_url} with a link in it`;
  if (perRequest !== undefined) return `$${perRequest}`;
  return perResource === undefined ? "no published price" : `$${perResource} for each thing X returns`;
}
