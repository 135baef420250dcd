import * as z from "zod";
import type { Page, PageKey } from "../storage/page.ts";

/** The argument that asks for the next page of a list which is sorted by `key`. */
export function pageToken<Key extends PageKey>(key: z.ZodType<Key>) {
  return z
    .string()
    .transform((token, context) => {
      const read = key.safeParse(keyIn(token));
      if (read.success) return read.data;
      context.addIssue({ code: "custom", message: "is not a next_token of this tool" });
      return z.NEVER;
    })
    .optional()
    .describe("meta.pagination.next_token of the page before");
}

/** A page as a tool answers with it: as many entries as fit into an answer, and where the next page begins. */
export function answerPage<T, V>({ items, hasMore, keyOf }: Page<T>, view: (item: T) => V) {
  const entries: V[] = [];
  let bytes = 0;
  for (const item of items) {
    const entry = view(item);
    bytes += Buffer.byteLength(JSON.stringify(entry));
    if (bytes > PAGE_BYTES && entries.length > 0) break;
    entries.push(entry);
  }
  const last = items[entries.length - 1];
  const isCut = last !== undefined && (hasMore || entries.length < items.length);
  const pagination = {
    ...(isCut && { next_token: tokenOf(keyOf(last)) }),
    result_count: entries.length,
    has_more: isCut,
  };
  return { entries, notes: { pagination } };
}

/** Leaves room in an answer of 40,000 bytes for what stands beside the list. */
const PAGE_BYTES = 30_000;

function tokenOf(key: PageKey): string {
  return Buffer.from(JSON.stringify(key)).toString("base64url");
}

function keyIn(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, "base64url").toString());
  } catch {
    return undefined;
  }
}
