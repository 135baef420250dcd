import { failed } from "@toolpact/outcome";
import { type Call, guard } from "../call.ts";
import type { Clock } from "../clock.ts";
import { EFFECTS } from "../effects.ts";
import { canonicalJson, digest } from "../json.ts";

/**
 * Refuses the same creating or marking call within the window of `recentCalls`, and a second one while the first
 * still runs. A call that failed, or that only asked, is forgotten, so that it can be made again.
 */
export const idempotency = guard<{ dependencies: { clock: Clock; recentCalls: RecentCalls } }>({
  name: "idempotency",
  codes: (tool, errors) =>
    tool.effects.some((effect) => EFFECTS[effect].guarded) ? [errors.roles.duplicate] : [],
  async run(call, next, { clock, recentCalls }) {
    if (!EFFECTS[call.effect].guarded) return next();
    const key = keyOf(call);
    const waitMs = recentCalls.begin(key, clock.now());
    if (waitMs > 0) {
      return failed({
        code: call.errors.roles.duplicate,
        reason: "duplicate_request",
        message: `The same ${call.tool.name} call was made less than ${recentCalls.windowMs / 1000} s ago, or still runs.`,
        suggestedFix:
          "It was carried out or is being carried out: do not repeat it. To do it again on purpose, wait.",
        fixBy: "agent",
        retryAfterMs: waitMs,
      });
    }
    let succeeded = false;
    try {
      const outcome = await next();
      succeeded = outcome.ok === true;
      return outcome;
    } finally {
      recentCalls.end(key, succeeded, clock.now());
    }
  },
});

/** The calls that run now or succeeded within the window, in the memory of this process. */
export class RecentCalls {
  readonly windowMs: number;
  private readonly running = new Set<string>();
  /**
   * Key of a call → when it may be made again, in milliseconds since the first call: small numbers take no room of their
   * own. In order of time, since every entry lives equally long.
   */
  private readonly done = new Map<string, number>();
  private startedAt: number | undefined;
  private sweepAt = 0;

  constructor(windowMs = 30_000) {
    this.windowMs = windowMs;
  }

  /** Zero when the call may begin; otherwise how long to wait. */
  begin(key: string, at: number): number {
    this.startedAt ??= at;
    const now = at - this.startedAt;
    this.forgetExpired(now);
    if (this.running.has(key)) return this.windowMs;
    const until = this.done.get(key);
    if (until !== undefined) {
      if (until > now) return until - now;
      // It would keep its old place in the order.
      this.done.delete(key);
    }
    this.running.add(key);
    return 0;
  }

  end(key: string, succeeded: boolean, at: number): void {
    this.running.delete(key);
    if (succeeded) this.done.set(key, at - (this.startedAt ?? at) + this.windowMs);
  }

  /** Ten times a window: a Map whose first entries are gone is slow to walk from its start. */
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

/** A short text is its own key: a digest would take longer than all else in this guard. */
function keyOf({ tool, action = "", input }: Call): string {
  const text = `${tool.name} ${action} ${canonicalJson(input)}`;
  return text.length <= SHORT ? text : digest(text);
}
