import type { Outcome } from "@toolpact/outcome";
import type { XAnswer } from "./answer.ts";
import type { CallArgs, XClient } from "./client.ts";
import type { ProviderError } from "./errors.ts";
import { type OperationId, operations } from "./operations/index.ts";
import { dollars, type PriceContext, priceAfter, priceBefore } from "./price.ts";

export interface PageBounds {
  readonly maxPages: number;
  /** Stops before a page that could exceed it. */
  readonly maxUsd?: number;
  readonly price?: PriceContext;
}

/** Pages read before a failure stay valid. */
export interface PagesEnd {
  readonly stopped: "end" | "max_pages" | "max_usd" | "failed";
  readonly failure?: ProviderError;
  readonly pages: number;
  readonly usd: number;
  readonly next_token?: string;
}

/**
 * Reads page after page. Yields each page and returns how reading ended; errors of X are not thrown.
 *
 * @example
 * for await (const page of readPages(client, "getUsersPosts", { path: { id: "12" } }, { maxPages: 3 })) {
 *   console.log(page.pagination?.result_count);
 * }
 */
export async function* readPages<Item = unknown>(
  client: XClient,
  id: OperationId,
  args: CallArgs,
  bounds: PageBounds,
): AsyncGenerator<XAnswer<Item[]>, PagesEnd, void> {
  const { paging } = operations[id];
  const param = paging?.find((name) => args.query?.[name] !== undefined) ?? paging?.[0];
  if (param === undefined)
    return end("failed", 0, 0, undefined, {
      kind: "invalid_request",
      message: `${id} does not page; call it once instead.`,
    });
  let token = args.query?.[param]?.toString();
  // X charges once a day for a resource, however many pages it is on.
  const billed = new Set<string>();
  const context: PriceContext = {
    ...bounds.price,
    billedToday: (resource) => billed.has(resource) || bounds.price?.billedToday?.(resource) === true,
  };
  let usd = 0;
  for (let pages = 0; ; pages += 1) {
    if (pages >= bounds.maxPages) return end("max_pages", pages, usd, token);
    const call = { ...args, query: { ...args.query, [param]: token } };
    const most = priceBefore(id, call, context).usd;
    if (bounds.maxUsd !== undefined && dollars(usd + most) > bounds.maxUsd)
      return end("max_usd", pages, usd, token);
    const page: Outcome<XAnswer<Item[]>, ProviderError> = await client.call<Item[]>(id, call);
    if (!page.ok) return end("failed", pages, usd, token, page.failure);
    const paid = priceAfter(id, call, page.value, context);
    for (const resource of paid.billed) billed.add(resource);
    usd = dollars(usd + paid.usd);
    yield page.value;
    token = page.value.pagination?.next_token;
    if (token === undefined) return end("end", pages + 1, usd, undefined);
  }
}

export interface AllPages<Item> extends PagesEnd {
  readonly items: readonly Item[];
  readonly includes: Readonly<Record<string, readonly unknown[]>>;
}

/** A failed page ends the list without losing it. */
export async function readAllPages<Item = unknown>(
  client: XClient,
  id: OperationId,
  args: CallArgs,
  bounds: PageBounds,
): Promise<AllPages<Item>> {
  const items: Item[] = [];
  const includes: Record<string, unknown[]> = {};
  const pages = readPages<Item>(client, id, args, bounds);
  for (;;) {
    const step = await pages.next();
    if (step.done) return { ...step.value, items, includes };
    items.push(...step.value.data);
    for (const [kind, list] of Object.entries(step.value.includes)) {
      includes[kind] ??= [];
      includes[kind].push(...list);
    }
  }
}

function end(
  stopped: PagesEnd["stopped"],
  pages: number,
  usd: number,
  token: string | undefined,
  failure?: ProviderError,
): PagesEnd {
  return {
    stopped,
    pages,
    usd,
    ...(token !== undefined && { next_token: token }),
    ...(failure && { failure }),
  };
}
