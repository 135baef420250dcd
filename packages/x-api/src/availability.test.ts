import { describe, expect, it } from "vitest";
import { type Access, type Action, actionRules, availabilityOf, removedOperations } from "./availability.ts";
import { operations, specVersion } from "./operations/index.ts";

const selfServe: Access = { plan: "self_serve", isPremium: false };
const premium: Access = { plan: "self_serve", isPremium: true };
const enterprise: Access = { plan: "enterprise", isPremium: false };

describe("account permissions", () => {
  it("match the self-serve plan", () => {
    const actions = Object.keys(actionRules) as Action[]; // The keys of a literal object are its own names.
    expect(Object.fromEntries(actions.map((action) => [action, availabilityOf(action, selfServe)]))).toEqual({
      reply: { isAvailable: "unknown", needs: "summons", since: "2026-02-23" },
      quote: { isAvailable: false, needs: "enterprise", since: "2026-04-20" },
      like: { isAvailable: false, needs: "enterprise", since: "2026-04-20" },
      follow: { isAvailable: false, needs: "enterprise", since: "2026-04-20" },
      cashtag: { isAvailable: "unknown", needs: "fewer_cashtags" },
      long_post: { isAvailable: false, needs: "premium", since: "2024-08-20" },
      edit: { isAvailable: false, needs: "premium" },
      pin_post: { isAvailable: false, needs: "nothing_helps" },
      unpin_post: { isAvailable: false, needs: "nothing_helps" },
      block: { isAvailable: false, needs: "nothing_helps" },
      unblock: { isAvailable: false, needs: "nothing_helps" },
    });
  });

  it.each(["reply", "quote", "like", "follow", "cashtag"] as const)(
    "includes %s on an enterprise plan",
    (action) => {
      expect(availabilityOf(action, enterprise)).toEqual({ isAvailable: true });
    },
  );

  it.each(["long_post", "edit"] as const)("includes %s with Premium, whatever the plan", (action) => {
    expect(availabilityOf(action, premium)).toEqual({ isAvailable: true });
    expect(availabilityOf(action, enterprise)).toMatchObject({ isAvailable: false, needs: "premium" });
  });

  it("lets a self-serve account reply to those who mentioned or quoted it", () => {
    expect(availabilityOf("reply", selfServe, { isSummoned: true })).toEqual({ isAvailable: true });
    expect(availabilityOf("reply", selfServe, { isSummoned: false })).toMatchObject({ isAvailable: false });
  });

  it("lets a self-serve account use one cashtag", () => {
    expect(availabilityOf("cashtag", selfServe, { cashtags: 1 })).toEqual({ isAvailable: true });
    expect(availabilityOf("cashtag", selfServe, { cashtags: 2 })).toMatchObject({ isAvailable: false });
  });
});

describe("removed operations", () => {
  it("are not in the operation table, and name the specification that dropped them", () => {
    const known = new Set(
      Object.values(operations).map((op) => `${op.method} ${op.path.replaceAll(/\{\w+\}/g, "{}")}`),
    );
    for (const { method, path, absentIn } of removedOperations) {
      expect(known).not.toContain(`${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`);
      expect(absentIn).toBe(specVersion);
    }
  });
});
