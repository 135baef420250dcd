import { expect, test } from "vitest";
import { serveLive } from "../live-server.ts";

interface Found {
  readonly candidates: readonly {
    readonly recommended_action: string;
    readonly can_reply: boolean;
    readonly why_not?: string;
  }[];
  readonly total_searched: number;
  readonly query: string;
  readonly advice?: string;
}

test("on a plan without uninvited replies only posts that can be answered are searched and paid for", async () => {
  const server = await serveLive(["--sandbox-plan", "self_serve"]);
  try {
    const { data, meta } = await server.call("find_reply_opportunities", { query: "a", min_score: 0 });
    const { candidates, query, advice, total_searched } = data as Found;
    expect(query).toMatch(/^\(a\) @\w+$/);
    expect(advice).toContain("only posts that mention you were searched");
    expect(
      candidates.filter(({ can_reply, why_not = "" }) => !can_reply && !/already/.test(why_not)),
    ).toEqual([]);
    if (total_searched === 0) expect(meta).not.toMatchObject({ cost: { settled_usd: expect.any(Number) } });
  } finally {
    await server.close();
  }
});

test("a post that cannot be answered is recommended to be skipped, with the reason", async () => {
  const server = await serveLive(["--sandbox-plan", "enterprise"], { TUITBOT_APPROVAL_MODE: "false" });
  try {
    const all = await server.call("find_reply_opportunities", { query: "a", min_score: 0, limit: 50 });
    const { candidates, advice } = all.data as Found;
    expect(advice).toBeUndefined();
    expect(candidates.length).toBeGreaterThan(0);
    for (const { can_reply, why_not, recommended_action } of candidates) {
      expect(why_not === undefined).toBe(can_reply);
      if (!can_reply) expect(recommended_action).toBe("skip");
    }
  } finally {
    await server.close();
  }
});
