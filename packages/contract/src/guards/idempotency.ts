import type { Call, Guard } from "../call.ts";
import { type Clock, systemClock } from "../clock.ts";
import { EFFECTS } from "../effects.ts";
import type { AnyErrorSet } from "../errors.ts";
import { canonicalJson, digest } from "../json.ts";
import { failed } from "../outcome.ts";

interface IdempotencyOptions {
  readonly errors: AnyErrorSet;
  readonly windowMs?: number;
  readonly clock?: Clock;
}

/**
 * Refuses the same creating or marking call within 30 s, and its twin while the first still runs. A call that
 * failed, or that only asked, is forgotten, so that it can be made again.
 */
export function idempotency({ errors, windowMs = 30_000, clock = systemClock }: IdempotencyOptions): Guard {
  const code = errors.roles.duplicate;
  const running = new Set<string>();
  /** Key of a call → when it may be made again. In order of time, since every entry lives equally long. */
  const done = new Map<string, number>();
  let sweepAt = 0;

  /** Ten times a window: a Map whose first entries are gone is slow to walk from its start. */
  function forgetExpired(now: number): void {
    if (now < sweepAt) return;
    sweepAt = now + windowMs / 10;
    for (const [key, until] of done) {
      if (until > now) return;
      done.delete(key);
    }
  }

  function remember(key: string, until: number): void {
    // An expired entry may still be there, and would keep its old place.
    done.delete(key);
    done.set(key, until);
  }

  return {
    name: "idempotency",
    codes: [code],
    async around(call, next) {
      if (!EFFECTS[call.effect].guarded) return next();
      const now = clock.now();
      forgetExpired(now);
      const key = keyOf(call);
      const until = running.has(key) ? now + windowMs : (done.get(key) ?? now);
      if (until > now) {
        return failed({
          code,
          reason: "duplicate_request",
          message: `The same ${call.tool.name} call was made less than ${windowMs / 1000} s ago, or still runs.`,
          suggestedFix:
            "It was carried out or is being carried out: do not repeat it. To do it again on purpose, wait.",
          fixBy: "agent",
          retryAfterMs: until - now,
        });
      }
      running.add(key);
      try {
        const outcome = await next();
        if (outcome.ok === true) remember(key, clock.now() + windowMs);
        return outcome;
      } finally {
        running.delete(key);
      }
    },
  };
}

const SHORT = 200;

/** A short text is its own key: a digest would take longer than all else in this guard. */
function keyOf({ tool, action = "", input }: Call): string {
  const text = `${tool.name} ${action} ${canonicalJson(input)}`;
  return text.length <= SHORT ? text : digest(text);
}
