import type { Operation, OperationId } from "./operations/index.ts";
import type { TokenKind } from "./tokens.ts";

/** How much of one of X's limits is left, as X last said it. */
export interface RateWindow {
  readonly operation: OperationId;
  readonly scope: TokenKind;
  /** Length of the window: 900, 86,400 or 1. */
  readonly seconds: number;
  readonly limit: number;
  readonly remaining: number;
  /** Epoch milliseconds. */
  readonly resetAt: number;
}

/** Remembers the windows of every operation from the headers of its answers. */
export class RateWindows {
  readonly #windows = new Map<string, RateWindow>();

  /** Learn from one answer; gives back the windows that this answer spoke of. */
  observe(
    operation: Operation,
    id: OperationId,
    scope: TokenKind,
    headers: Headers,
    now: number,
  ): RateWindow[] {
    const seen: RateWindow[] = [];
    for (const source of sources) {
      const window = read(source, operation, id, scope, headers);
      if (window) seen.push(this.#keep(window, now));
    }
    const second = perSecondLimit(operation, scope);
    if (second !== undefined && !seen.some((window) => window.seconds === 1))
      seen.push(this.#count(id, scope, second, now));
    return seen;
  }

  /** Windows that are still running, of one operation or of all. */
  running(now: number, id?: OperationId): RateWindow[] {
    const running: RateWindow[] = [];
    for (const [key, window] of this.#windows) {
      if (window.resetAt <= now) this.#windows.delete(key);
      else if (id === undefined || window.operation === id) running.push(window);
    }
    return running;
  }

  /** Answers can overtake each other: within one window the lowest count is the latest. */
  #keep(window: RateWindow, now: number): RateWindow {
    const key = keyOf(window);
    const known = this.#windows.get(key);
    const isOlder = known !== undefined && known.resetAt > now && isAfter(known, window);
    if (!isOlder) this.#windows.set(key, window);
    return isOlder ? known : window;
  }

  /** X sends no header for limits per second, so they are counted here. */
  #count(operation: OperationId, scope: TokenKind, limit: number, now: number): RateWindow {
    const key = keyOf({ operation, scope, seconds: 1 });
    const known = this.#windows.get(key);
    const isRunning = known !== undefined && known.resetAt > now;
    const window: RateWindow = {
      operation,
      scope,
      seconds: 1,
      limit,
      remaining: Math.max(0, (isRunning ? known.remaining : limit) - 1),
      resetAt: isRunning ? known.resetAt : now + 1000,
    };
    this.#windows.set(key, window);
    return window;
  }
}

function isAfter(known: RateWindow, window: RateWindow): boolean {
  return known.resetAt === window.resetAt
    ? known.remaining < window.remaining
    : known.resetAt > window.resetAt;
}

function keyOf(window: Pick<RateWindow, "operation" | "scope" | "seconds">): string {
  return `${window.operation} ${window.scope} ${window.seconds}`;
}

interface Source {
  readonly limit: string;
  readonly remaining: string;
  readonly reset: string;
  /** Whose limit it is; the token's own when the header does not say. */
  readonly scope?: TokenKind;
  readonly seconds: number;
}

const sources: readonly Source[] = [
  { ...names("x-rate-limit"), seconds: 900 },
  { ...names("x-app-limit-24hour"), scope: "app", seconds: 86_400 },
  { ...names("x-user-limit-24hour"), scope: "user", seconds: 86_400 },
];

function names(prefix: string): { limit: string; remaining: string; reset: string } {
  return { limit: `${prefix}-limit`, remaining: `${prefix}-remaining`, reset: `${prefix}-reset` };
}

function read(
  source: Source,
  operation: Operation,
  id: OperationId,
  tokenScope: TokenKind,
  headers: Headers,
): RateWindow | undefined {
  const limit = wholeNumber(headers.get(source.limit));
  if (limit === undefined) return undefined;
  const remaining = wholeNumber(headers.get(source.remaining));
  const reset = wholeNumber(headers.get(source.reset));
  if (remaining === undefined || reset === undefined) return undefined;
  const scope = source.scope ?? tokenScope;
  const isPerSecond = source.seconds === 900 && limit === perSecondLimit(operation, scope);
  return {
    operation: id,
    scope,
    seconds: isPerSecond ? 1 : source.seconds,
    limit,
    remaining: Math.min(remaining, limit),
    resetAt: reset * 1000,
  };
}

function perSecondLimit(operation: Operation, scope: TokenKind): number | undefined {
  return operation.limits?.[scope]?.find((window) => window.seconds === 1)?.limit;
}

function wholeNumber(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  const number = Number(text);
  return Number.isInteger(number) && number >= 0 ? number : undefined;
}
