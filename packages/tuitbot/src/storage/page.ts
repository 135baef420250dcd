/** The sort key of the last entry of a page: the next page begins after it. */
export type PageKey = readonly (string | number)[];

export interface PageRequest<Key extends PageKey = PageKey> {
  /** At most so many entries. */
  readonly limit: number;
  /** Undefined for the first page. */
  readonly after?: Key | undefined;
}

/** A part of a list. No question reads more of a table than it answers with. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
  readonly keyOf: (item: T) => PageKey;
}

/** Makes a page from rows, which were queried with one more than the limit. */
export function pageOf<T>(rows: readonly T[], limit: number, keyOf: (item: T) => PageKey): Page<T> {
  return { items: rows.slice(0, limit), hasMore: rows.length > limit, keyOf };
}
