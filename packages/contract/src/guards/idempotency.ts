import { failed } from "@toolpact/outcome";
import { type Call, guard } from "../call.ts";
import type { Clock } from "../clock.ts";
import { EFFECTS } from "../effects.ts";
import type { Failure } from "../errors.ts";
import { canonicalJson, digest } from "../json.ts";

/**
 * Rejects an equal creating or marking call within the window of `recentCalls`, and while the first one runs. A call
 * that may have acted (it threw, was canceled, or its deadline passed) is remembered like a successful one. A call
 * whose tool returned a failure is forgotten and can be repeated.
 *
 * Calls are remembered in memory only: restarts and other processes do not know them. Use `protect` if
 * a repetition after a restart would do harm.
 */
export const idempotency = guard<{ dependencies: { clock: Clock; recentCalls: RecentCalls } }>({
  name: "idempotency",
  codes: (tool, errors) =>
    // Every product has a code for this role.
    tool.effects.some((effect) => EFFECTS[effect].guarded) ? [errors.roles.duplicate as never] : [],
  async run(call, next, { clock, recentCalls }) {
    if (!EFFECTS[call.effect].guarded) return next();
    const key = keyOf(call);
    const waitMs = recentCalls.begin(key, clock.now());
    if (waitMs === Number.POSITIVE_INFINITY) {
      return failed({
        code: call.errors.roles.duplicate as never,
        reason: "duplicate_request",
        message: `The same ${call.tool.name} call is running.`,
        suggestedFix: "Do not repeat it: wait for its answer.",
        fixBy: "agent",
      });
    }
    if (waitMs > 0) {
      return failed({
        code: call.errors.roles.duplicate as never,
        reason: "duplicate_request",
        message: `The same ${call.tool.name} call was made less than ${recentCalls.windowMs / 1000} s ago and may have been carried out.`,
        suggestedFix:
          "Do not repeat it: check whether it took effect. To do it again on purpose, wait until details.repeatable_at. A restart of the server forgets recent calls.",
        fixBy: "agent",
        // Not `retryAfterMs`: a duplicate is not to be retried.
        details: { repeatable_at: new Date(clock.now() + waitMs).toISOString() },
      });
    }
    let mayHaveActed = true;
    try {
      const outcome = await next();
      mayHaveActed = outcome.ok === true || (outcome.ok === false && isUnknown(outcome.failure, call.signal));
      return outcome;
    } finally {
      recentCalls.end(key, mayHaveActed, clock.now());
    }
  },
});

/** True if a failed call may have acted: it was canceled, or the failure says so, as `deadline` does. */
export function isUnknown({ details }: Pick<Failure, "details">, signal: AbortSignal): boolean {
  return signal.aborted || details?.may_have_taken_effect === true;
}

/** Calls that run now or may have acted within the window, in this process. */
export class RecentCalls {
  readonly windowMs: number;
  private readonly running = new Set<string>();
  /**
   * Key of a call → when it may be repeated, in milliseconds since the first call: small numbers need no heap
   * allocation. Ordered by time, because all entries live equally long.
   */
  private readonly done = new Map<string, number>();
  private startedAt: number | undefined;
  private sweepAt = 0;

  constructor(windowMs = 30_000) {
    this.windowMs = windowMs;
  }

  /** Zero if the call may start, infinite while the same call is running; otherwise the time to wait. */
  begin(key: string, at: number): number {
    this.startedAt ??= at;
    const now = at - this.startedAt;
    this.forgetExpired(now);
    if (this.running.has(key)) return Number.POSITIVE_INFINITY;
    const until = this.done.get(key);
    if (until !== undefined) {
      if (until > now) return until - now;
      // Otherwise it would keep its old position.
      this.done.delete(key);
    }
    this.running.add(key);
    return 0;
  }

  end(key: string, mayHaveActed: boolean, at: number): void {
    this.running.delete(key);
    if (mayHaveActed) this.done.set(key, at - (this.startedAt ?? at) + this.windowMs);
  }

  /** At most ten times per window: iterating a Map with many deleted first entries is slow. */
  private forgetExpired(now: number): void {
    if (now < this.sweepAt) return;
    this.sweepAt = now + this.windowMs / 10;
    for (const [key, until] of this.done) {
      if (until > now) return;
      this.done.delete(key);
    }
  }
}

const SHORT = 200;

/** A short text is its own key: hashing would dominate the cost of this guard. */
function keyOf({ tool, action = "", input }: Call): string {
  const text = `${tool.name} ${action} ${canonicalJson(input)}`;
  return text.length <= SHORT ? text : digest(text);
}
