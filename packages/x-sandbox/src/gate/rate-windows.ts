import type { Operation, Window } from "@toolpact/x-api/operations";
import { second } from "../clock.ts";
import type { Caller } from "./authenticate.ts";

export interface WindowState {
  readonly pool: "app" | "user";
  readonly limit: number;
  readonly seconds: number;
  readonly remaining: number;
  /** Epoch milliseconds. */
  readonly resetAt: number;
}

export interface RateDecision {
  readonly allowed: boolean;
  readonly states: readonly WindowState[];
}

/** Windows per app and user start with their first request. Rejected requests are not counted. */
export class RateWindows {
  readonly #windows = new Map<string, { used: number; resetAt: number }>();

  enter(operation: Operation, caller: Caller, now: number): RateDecision {
    const rules = rulesFor(operation, caller);
    const windows = rules.map((rule) => this.#open(operation, caller, rule, now));
    const allowed = rules.every((rule, i) => (windows[i]?.used ?? 0) < rule.window.limit);
    if (allowed) for (const window of windows) window.used++;
    const states = rules.map(({ pool, window }, i) => ({
      pool,
      ...window,
      remaining: Math.max(0, window.limit - (windows[i]?.used ?? 0)),
      resetAt: windows[i]?.resetAt ?? now,
    }));
    return { allowed, states };
  }

  /** As if the caller's window were exhausted. */
  refuse(operation: Operation, caller: Caller, now: number): RateDecision {
    const states = rulesFor(operation, caller)
      .filter(({ window }) => window.seconds < dayInSeconds)
      .map((rule) => ({
        pool: rule.pool,
        ...rule.window,
        remaining: 0,
        resetAt: this.#open(operation, caller, rule, now).resetAt,
      }));
    return { allowed: false, states };
  }

  #open(
    operation: Operation,
    caller: Caller,
    { pool, window }: Rule,
    now: number,
  ): { used: number; resetAt: number } {
    const owner = pool === "user" && caller.kind === "user" ? caller.person.id : "app";
    const name = `${operation.id} ${caller.app.clientId} ${owner} ${pool} ${window.seconds}`;
    let state = this.#windows.get(name);
    if (state === undefined || now >= state.resetAt) {
      state = { used: 0, resetAt: now + window.seconds * second };
      this.#windows.set(name, state);
    }
    return state;
  }
}

/** One-second windows appear only when they reject. */
export function rateHeaders({ allowed, states }: RateDecision): Record<string, string> {
  const headers: Record<string, string> = {};
  const longestFirst = states
    .filter((state) => state.seconds < dayInSeconds)
    .sort((a, b) => b.seconds - a.seconds);
  const refusing = allowed ? undefined : longestFirst.find((state) => state.remaining === 0);
  const main = refusing ?? longestFirst[0];
  if (main !== undefined) writeWindow(headers, "x-rate-limit", main);
  for (const state of states) {
    if (state.seconds === dayInSeconds) writeWindow(headers, `x-${state.pool}-limit-24hour`, state);
  }
  return headers;
}

function writeWindow(headers: Record<string, string>, prefix: string, state: WindowState): void {
  headers[`${prefix}-limit`] = String(state.limit);
  headers[`${prefix}-remaining`] = String(state.remaining);
  headers[`${prefix}-reset`] = String(Math.ceil(state.resetAt / second));
}

interface Rule {
  readonly pool: "app" | "user";
  readonly window: Window;
}

/** A user's request counts in the user's windows and the app's daily ones. */
function rulesFor(operation: Operation, caller: Caller): readonly Rule[] {
  const app = (operation.limits?.app ?? []).map((window): Rule => ({ pool: "app", window }));
  const user = (operation.limits?.user ?? []).map((window): Rule => ({ pool: "user", window }));
  const byDay = app.filter(({ window }) => window.seconds === dayInSeconds);
  const rules = caller.kind === "user" && user.length > 0 ? [...user, ...byDay] : app;
  return rules.some(({ window }) => window.seconds < dayInSeconds) ? rules : [unpublished(caller), ...rules];
}

/** As X sends it if none is documented. */
function unpublished(caller: Caller): Rule {
  return { pool: caller.kind === "user" ? "user" : "app", window: { limit: 40_000, seconds: 900 } };
}

const dayInSeconds = 86_400;
