/** The headers in which X speaks of one limit. */
export interface LimitHeaders {
  readonly limit: string;
  readonly remaining: string;
  readonly reset: string;
}

/** X's limits: of 15 minutes or a second, of a day for the app, of a day for the person. */
export const limitHeaders = {
  window: headersOf("x-rate-limit"),
  appDay: headersOf("x-app-limit-24hour"),
  userDay: headersOf("x-user-limit-24hour"),
} as const satisfies Record<string, LimitHeaders>;

/** The number in a header; undefined where it is not one. */
export function wholeNumberIn(headers: Headers, name: string): number | undefined {
  const text = headers.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

function headersOf(prefix: string): LimitHeaders {
  return { limit: `${prefix}-limit`, remaining: `${prefix}-remaining`, reset: `${prefix}-reset` };
}
