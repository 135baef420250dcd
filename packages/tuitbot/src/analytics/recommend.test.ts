import { describe, expect, it, test } from "vitest";
import { recommend, type Situation } from "./recommend.ts";
import { type AuthorRecord, riskSignals } from "./risk-signals.ts";
import { adviceFor } from "./topic-snapshot.ts";

const unknown: AuthorRecord = { replies: 0, repliesToday: 0, measured: 0, engaged: 0 };

const nothing: Situation = {
  text: "A walk by the sea",
  keywords: ["rust"],
  objective: undefined,
  author: unknown,
  maxPerAuthor: 1,
  repliesToday: 0,
  maxReplies: 5,
  approvalMode: false,
};

function of(change: Partial<Situation>) {
  return recommend({ ...nothing, ...change });
}

function score(change: Partial<Situation>, factor: string): number | undefined {
  return of(change).contributing_factors.find((one) => one.factor === factor)?.score;
}

test("the worked example: nothing known, nothing matched, no objective", () => {
  expect(of({})).toMatchObject({
    score: 53,
    recommended_action: "observe",
    policy_considerations: [],
  });
});

describe("each factor", () => {
  it.each([
    ["about nothing", 10],
    ["rust", 30],
    ["rust and zig", 60],
    ["rust, zig and wasm", 90],
    ["rust, zig, wasm and llvm", 100],
  ])("keywords in %j give %d", (text, points) => {
    expect(score({ text, keywords: ["rust", "zig", "wasm", "llvm"] }, "keyword_relevance")).toBe(points);
  });

  it.each([
    [{ replies: 0, measured: 0, engaged: 0 }, 50],
    [{ replies: 5, measured: 5, engaged: 2 }, 90],
    [{ replies: 5, measured: 5, engaged: 1 }, 60],
    [{ replies: 5, measured: 5, engaged: 0 }, 30],
    [{ replies: 5, measured: 0, engaged: 0 }, 30],
  ])("a past of %j gives %d", (past, points) => {
    expect(score({ author: { ...unknown, ...past } }, "author_relationship")).toBe(points);
  });

  it.each([
    [0, 100],
    [1, 40],
    [2, 0],
  ])("%d replies to the author today give %d", (repliesToday, points) => {
    expect(score({ author: { ...unknown, repliesToday }, maxPerAuthor: 2 }, "author_frequency")).toBe(points);
  });

  it.each([
    [0, 100],
    [8, 100],
    [9, 30],
    [10, 0],
  ])("%d of 10 replies today give %d", (repliesToday, points) => {
    expect(score({ repliesToday, maxReplies: 10 }, "daily_capacity")).toBe(points);
  });

  it.each([
    [undefined, 50],
    ["launch the compiler workshop", 20],
    ["people who walk", 60],
    ["the sea by boat", 20],
  ])("the objective %j gives %d", (objective, points) => {
    expect(score({ objective, text: "A walk by the sea" }, "campaign_alignment")).toBe(points);
  });

  it("gives 90 where three words of the objective are found", () => {
    expect(
      score({ objective: "quiet walk ocean", text: "A quiet walk by the ocean" }, "campaign_alignment"),
    ).toBe(90);
  });
});

describe("a limit that is used up decides alone", () => {
  it.each([
    [{ repliesToday: 5 }, "daily_rate_limit"],
    [{ author: { ...unknown, replies: 1, repliesToday: 1 } }, "per_author_limit"],
  ])("%j", (change, policy) => {
    expect(of({ text: "rust", ...change })).toMatchObject({
      recommended_action: "skip",
      policy_considerations: [{ policy, status: "blocked" }],
    });
  });
});

it("a recommendation states that a person has to approve the action", () => {
  expect(of({ approvalMode: true }).policy_considerations).toMatchObject([
    { policy: "approval_mode", status: "warning" },
  ]);
});

it("recommends a reply from 65 and leaves what is below 40", () => {
  const keywords = ["a", "b", "c", "d"];
  expect(of({ keywords, text: "a b c d" })).toMatchObject({
    score: 80,
    recommended_action: "reply",
  });
  const cold = { replies: 5, repliesToday: 1, measured: 5, engaged: 0 };
  expect(
    of({ author: cold, maxPerAuthor: 2, repliesToday: 9, maxReplies: 10, objective: "compilers" }),
  ).toMatchObject({ score: 23.5, recommended_action: "skip" });
});

test.each([
  [unknown, ["no_prior_interaction"]],
  [{ ...unknown, repliesToday: 1 }, ["high_frequency_today", "no_prior_interaction"]],
  [{ ...unknown, replies: 2 }, ["no_measured_performance"]],
  [{ ...unknown, replies: 3, measured: 3 }, ["low_response_rate"]],
  [{ ...unknown, replies: 2, measured: 2 }, []],
  [{ ...unknown, replies: 10, measured: 10, engaged: 1 }, []],
])("%j is at the risk of %j", (author, signals) => {
  expect(riskSignals(author, 1).map(({ signal }) => signal)).toEqual(signals);
});

test.each([
  [2, 9, "experiment"],
  [3, 1.6, "double_down"],
  [3, 1.5, "maintain"],
  [3, 0.5, "maintain"],
  [3, 0.49, "reduce"],
])("%d posts at %d of the average: %s", (posts, ratio, advice) => {
  expect(adviceFor(posts, ratio)).toBe(advice);
});
