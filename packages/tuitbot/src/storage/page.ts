/** The next page begins after it. */
export type PageKey = readonly (string | number)[];

export interface PageRequest<Key extends PageKey = PageKey> {
  readonly limit: number;
  /** Undefined for the first page. */
  readonly after?: Key | undefined;
}

/** No query reads more than it returns. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
  readonly keyOf: (item: T) => PageKey;
}

/** Query one row more than the limit. */
export function pageOf<T>(rows: readonly T[], limit: number, keyOf: (item: T) => PageKey): Page<T> {
  return { items: rows.slice(0, limit), hasMore: rows.length > limit, keyOf };
}
