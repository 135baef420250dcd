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

test("candidates leave out addresses, counts of 0 and the parts of scores unless asked for", async () => {
  const server = await serveLive(["--sandbox-plan", "enterprise"]);
  try {
    const find = async (response_format?: string) => {
      const args = { query: "a", min_score: 0, ...(response_format && { response_format }) };
      const { data } = await server.call("find_reply_opportunities", args);
      return (data as { candidates: Record<string, unknown>[] }).candidates;
    };
    const [concise] = await find();
    expect(concise).not.toHaveProperty("url");
    expect(concise).not.toHaveProperty("score_breakdown");
    expect(Object.values(concise ?? {})).not.toContain(0);
    expect((await find("detailed"))[0]).toMatchObject({
      url: expect.stringContaining("https://x.com/"),
      score_breakdown: { recency: expect.any(Number) },
      replies: expect.any(Number),
    });
  } finally {
    await server.close();
  }
});

test("get_capabilities recommends no action while everything is stopped, in at most 2.2 kB", async () => {
  const server = await serveLive(["--sandbox"]);
  try {
    const before = await server.call("get_capabilities");
    expect(Buffer.byteLength(JSON.stringify(before))).toBeLessThanOrEqual(2_200);
    expect(before.data).toMatchObject({ recommended_max_actions: { tweets: expect.toSatisfy(Boolean) } });
    await server.call("stop_everything", { reason: "Enough." });
    expect((await server.call("get_capabilities")).data).toMatchObject({
      can_post_tweets: false,
      recommended_max_actions: { replies: 0, tweets: 0, threads: 0 },
    });
  } finally {
    await server.close();
  }
});
