import * as z from "zod";
import { count } from "../../shapes.ts";
import { onePage } from "../../shortened-page.ts";

/** Arguments of an action that answers in pages. */
export const pageInput = {
  offset: z.int().min(0).optional().describe("Skip so many; default: 0"),
  limit: z.int().min(1).max(5000).optional().describe("Default: what 8 kB hold"),
};

export interface PageRequest {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** Fields that every page has. */
export const pageShape = { total: count, offset: count, nextOffset: count.exactOptional() };

/** One page of a list; `nextOffset` is the start of the next one. */
export function pageOf<T>(
  items: readonly T[],
  { offset = 0, limit }: PageRequest,
): {
  readonly items: readonly T[];
  readonly total: number;
  readonly offset: number;
  readonly nextOffset?: number;
} {
  const rest = items.slice(offset);
  const shown = limit === undefined ? onePage(rest) : rest.slice(0, limit);
  const next = offset + shown.length;
  return {
    items: shown,
    total: items.length,
    offset,
    ...(next < items.length && { nextOffset: next }),
  };
}
