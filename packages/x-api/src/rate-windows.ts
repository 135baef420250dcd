import type { Operation, OperationId, Window } from "./operations/index.ts";
import type { TokenKind } from "./tokens.ts";

/** From X's last answer. */
export interface RateWindow {
  readonly operation: OperationId;
  readonly scope: TokenKind;
  /** 900, 86,400 or 1. */
  readonly seconds: number;
  readonly limit: number;
  readonly remaining: number;
  /** Epoch milliseconds. */
  readonly resetAt: number;
}

export class RateWindows {
  readonly #known = new Map<OperationId, Known>();

  observe(
    operation: Operation,
    id: OperationId,
    scope: TokenKind,
    headers: Headers,
    now: number,
  ): RateWindow[] {
    let known = this.#known.get(id);
    if (known === undefined) {
      known = { windows: [], perSecond: perSecondLimits(operation) };
      this.#known.set(id, known);
    }
    const perSecond = known.perSecond[scope];
    const seen: RateWindow[] = [];
    for (const source of sources) {
      const window = read(source, id, scope, perSecond, headers);
      if (window) seen.push(keep(known.windows, window, now));
    }
    if (perSecond !== undefined && !seen.some((window) => window.seconds === 1))
      seen.push(count(known.windows, id, scope, perSecond, now));
    return seen;
  }

  running(now: number, id?: OperationId): RateWindow[] {
    const lists = id === undefined ? [...this.#known.values()] : [this.#known.get(id)];
    return lists.flatMap((known) => known?.windows.filter((window) => window.resetAt > now) ?? []);
  }
}

interface Known {
  /** At most one per scope and length. */
  readonly windows: RateWindow[];
  readonly perSecond: { readonly app: number | undefined; readonly user: number | undefined };
}

/** Answers arrive out of order, so the lowest count in a window is the latest. */
function keep(windows: RateWindow[], window: RateWindow, now: number): RateWindow {
  const at = indexOf(windows, window.scope, window.seconds);
  const known = windows[at];
  if (known !== undefined && known.resetAt > now && isAfter(known, window)) return known;
  windows[at] = window;
  return window;
}

function isAfter(known: RateWindow, window: RateWindow): boolean {
  return known.resetAt === window.resetAt
    ? known.remaining < window.remaining
    : known.resetAt > window.resetAt;
}

/** X sends no headers for per-second limits. */
function count(
  windows: RateWindow[],
  operation: OperationId,
  scope: TokenKind,
  limit: number,
  now: number,
): RateWindow {
  const at = indexOf(windows, scope, 1);
  const known = windows[at];
  const isRunning = known !== undefined && known.resetAt > now;
  const window: RateWindow = {
    operation,
    scope,
    seconds: 1,
    limit,
    remaining: Math.max(0, (isRunning ? known.remaining : limit) - 1),
    resetAt: isRunning ? known.resetAt : now + 1000,
  };
  windows[at] = window;
  return window;
}

function indexOf(windows: readonly RateWindow[], scope: TokenKind, seconds: number): number {
  let at = 0;
  while (at < windows.length && !(windows[at]?.scope === scope && windows[at]?.seconds === seconds)) at += 1;
  return at;
}

export interface LimitHeaders {
  readonly limit: string;
  readonly remaining: string;
  readonly reset: string;
}

/** 15 minutes or a second, and the app's and user's daily limits. */
export const limitHeaders = {
  window: headersOf("x-rate-limit"),
  appDay: headersOf("x-app-limit-24hour"),
  userDay: headersOf("x-user-limit-24hour"),
} as const satisfies Record<string, LimitHeaders>;

export function wholeNumberIn(headers: Headers, name: string): number | undefined {
  const text = headers.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

function headersOf(prefix: string): LimitHeaders {
  return { limit: `${prefix}-limit`, remaining: `${prefix}-remaining`, reset: `${prefix}-reset` };
}

interface Source extends LimitHeaders {
  /** Default: the token's owner. */
  readonly scope?: TokenKind;
  readonly seconds: number;
}

const sources: readonly Source[] = [
  { ...limitHeaders.window, seconds: 900 },
  { ...limitHeaders.appDay, scope: "app", seconds: 86_400 },
  { ...limitHeaders.userDay, scope: "user", seconds: 86_400 },
];

function read(
  source: Source,
  operation: OperationId,
  tokenScope: TokenKind,
  perSecond: number | undefined,
  headers: Headers,
): RateWindow | undefined {
  const limit = wholeNumberIn(headers, source.limit);
  if (limit === undefined) return undefined;
  const remaining = wholeNumberIn(headers, source.remaining);
  const reset = wholeNumberIn(headers, source.reset);
  if (remaining === undefined || reset === undefined) return undefined;
  return {
    operation,
    scope: source.scope ?? tokenScope,
    seconds: source.seconds === 900 && limit === perSecond ? 1 : source.seconds,
    limit,
    remaining: Math.min(remaining, limit),
    resetAt: reset * 1000,
  };
}

function perSecondLimits({ limits }: Operation): Known["perSecond"] {
  const of = (windows: readonly Window[] | undefined) =>
    windows?.find((window) => window.seconds === 1)?.limit;
  return { app: of(limits?.app), user: of(limits?.user) };
}
