import fc from "fast-check";
import { expect, test } from "vitest";
import {
  allowSimilar,
  applyRule,
  type CallFacts,
  CONDITION_NAMES,
  covers,
  FENCES,
  groupKey,
  type LearnedRule,
  largestAmount,
  meets,
  type PastDecision,
  proposalSentence,
  proposeRules,
  type RuleConditions,
  rehearseRule,
  ruleDates,
} from "../../src/guards/internal.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 1);

const thanks: CallFacts = {
  scope: "100",
  caller: "agent:news",
  tool: "reply",
  effect: "create",
  argumentKinds: ["reply_to:string", "text:string"],
  target: "to people who mentioned you",
  manner: "thank-you",
  micros: 15_000,
  length: 30,
  amount: 0,
  fences: [],
};

/** Few values each, to form groups. */
const facts: fc.Arbitrary<CallFacts> = fc.record({
  scope: fc.constantFrom("100", "200"),
  caller: fc.constantFrom("agent:news", "agent:desk", ""),
  tool: fc.constantFrom("reply", "post"),
  effect: fc.constantFrom("create", "send"),
  argumentKinds: fc.constantFrom(["text:string"], ["reply_to:string", "text:string"]),
  target: fc.constantFrom("to people who mentioned you", "on the timeline"),
  manner: fc.constantFrom("", "thank-you"),
  micros: fc.constantFrom(0, 10_000, 15_000, 200_000),
  length: fc.integer({ min: 0, max: 300 }),
  amount: fc.constantFrom(0, 0, 0, 20, 5_000),
  fences: fc.oneof(
    { weight: 6, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.subarray([...FENCES], { minLength: 1 }) },
  ),
});

const verdict = fc.oneof(
  { weight: 6, arbitrary: fc.constant("approved" as const) },
  { weight: 2, arbitrary: fc.constant("rejected" as const) },
  { weight: 1, arbitrary: fc.constant("edited" as const) },
  { weight: 1, arbitrary: fc.constant("undecided" as const) },
);

/** Runs of similar calls, mostly with one verdict. */
const history: fc.Arbitrary<readonly PastDecision[]> = fc
  .array(
    fc.record({
      base: facts,
      usual: verdict,
      calls: fc.array(
        fc.record({
          length: fc.oneof(fc.integer({ min: 10, max: 120 }), fc.integer({ min: 150, max: 250 })),
          day: fc.integer({ min: 0, max: 60 }),
          other: fc.oneof({ weight: 40, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: verdict }),
        }),
        { minLength: 1, maxLength: 24 },
      ),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((runs) =>
    runs
      .flatMap(({ base, usual, calls }) =>
        calls.map(({ length, day, other }) => ({
          at: NOW - day * DAY,
          facts: { ...base, length },
          verdict: other ?? usual,
        })),
      )
      .map((decision, id) => ({ id, ...decision })),
  );

const RUNS = { numRuns: 1_000 };

function active(rule: Pick<LearnedRule, "does" | "conditions" | "perDay" | "budgetMicros">): LearnedRule {
  return { ...rule, ...ruleDates(NOW) };
}

const UNUSED = { today: 0, spentMicros: 0 };

test("no proposed rule matches a call that its approver decided otherwise or edited", () => {
  let proposed = 0;
  fc.assert(
    fc.property(history, (past) => {
      for (const rule of proposeRules(past, NOW)) {
        proposed++;
        const agrees = rule.does === "allow" ? "approved" : "rejected";
        for (const { facts: call, verdict: said } of past) {
          if (said === agrees || said === "undecided") continue;
          expect(applyRule(active(rule), call, UNUSED, NOW)).toMatchObject({ applies: false });
        }
      }
    }),
    RUNS,
  );
  // Histories without a proposal show nothing.
  expect(proposed).toBeGreaterThan(300);
});

test("a proposed rule covers every decision it is based on, and its bounds are reached by one", () => {
  fc.assert(
    fc.property(history, (past) => {
      for (const { conditions, evidence } of proposeRules(past, NOW)) {
        const calls = past.filter(({ id }) => evidence.includes(id)).map(({ facts: call }) => call);
        expect(calls.every((call) => covers(conditions, call))).toBe(true);
        for (const name of ["length", "micros", "amount"] as const)
          expect(Math.max(...calls.map((call) => call[name]))).toBe(conditions[name].to);
        expect(Math.min(...calls.map(({ length }) => length))).toBe(conditions.length.from);
      }
    }),
    RUNS,
  );
});

test("without any one of its conditions, a proposed rule would cover a counterexample or a call unlike all approved ones", () => {
  fc.assert(
    fc.property(history, (past) => {
      for (const { conditions, evidence } of proposeRules(past, NOW)) {
        const calls = past.filter(({ id }) => evidence.includes(id)).map(({ facts: call }) => call);
        const [example = thanks] = calls;
        for (const dropped of CONDITION_NAMES) {
          const stranger = changed(example, dropped, conditions);
          const rest = CONDITION_NAMES.filter((name) => name !== dropped);
          expect(rest.every((name) => meets(conditions, name, stranger))).toBe(true);
          expect(covers(conditions, stranger)).toBe(false);
          expect(
            calls.some((call) => JSON.stringify(call[dropped]) === JSON.stringify(stranger[dropped])),
          ).toBe(false);
        }
      }
    }),
    { numRuns: 300 },
  );
});

function changed(
  call: CallFacts,
  name: (typeof CONDITION_NAMES)[number],
  conditions: RuleConditions,
): CallFacts {
  switch (name) {
    case "length":
    case "micros":
    case "amount":
      return { ...call, [name]: conditions[name].to + 1 };
    case "argumentKinds":
      return { ...call, argumentKinds: [...call.argumentKinds, "more:string"] };
    default:
      return { ...call, [name]: `another than ${call[name]}` };
  }
}

test("a group with one rejected or edited call is not proposed, however often the others were approved", () => {
  const approvals = Array.from({ length: 40 }, (_, id) => decision(id, { at: NOW - id * DAY }));
  expect(proposeRules(approvals, NOW)).toHaveLength(1);
  for (const verdict of ["rejected", "edited"] as const)
    expect(proposeRules([...approvals, decision(99, { verdict, at: NOW - 400 * DAY })], NOW)).toEqual([]);
});

test("a rule is proposed for five equal decisions on two days, and not for fewer", () => {
  const on = (days: readonly number[]) => days.map((day, id) => decision(id, { at: NOW - day * DAY }));
  expect(proposeRules(on([1, 1, 1, 1, 2]), NOW)).toHaveLength(1);
  expect(proposeRules(on([1, 1, 1, 2]), NOW)).toEqual([]);
  // Many equal calls within an hour are no evidence.
  expect(proposeRules(on(Array.from({ length: 50 }, () => 1)), NOW)).toEqual([]);
});

test("decisions of an agent and calls of an unknown agent are no evidence", () => {
  const days = [1, 2, 3, 4, 5, 6];
  expect(
    proposeRules(
      days.map((day, id) => decision(id, { verdict: "undecided", at: NOW - day * DAY })),
      NOW,
    ),
  ).toEqual([]);
  const unknown = { ...thanks, caller: "" };
  expect(
    proposeRules(
      days.map((day, id) => decision(id, { facts: unknown, at: NOW - day * DAY })),
      NOW,
    ),
  ).toEqual([]);
});

test.each(FENCES)(
  "no rule lets through a call with the fence %s, and none is proposed for such calls",
  (fence) => {
    const fenced = { ...thanks, fences: [fence] };
    const days = [1, 2, 3, 4, 5, 6];
    expect(
      proposeRules(
        days.map((day, id) => decision(id, { facts: fenced, at: NOW - day * DAY })),
        NOW,
      ),
    ).toEqual([]);
    expect(allowSimilar(fenced, "day", NOW)).toEqual({ fence });
    const similar = allowSimilar(thanks, "day", NOW);
    if (!("rule" in similar)) return expect.fail(JSON.stringify(similar));
    expect(applyRule(similar.rule, thanks, UNUSED, NOW)).toEqual({ applies: true });
    expect(applyRule(similar.rule, fenced, UNUSED, NOW)).toEqual({ applies: false, why: fence });
  },
);

test("rejections propose a rule that denies calls with the same fences", () => {
  const rejections = [1, 2, 3, 4, 5].map((day, id) =>
    decision(id, { verdict: "rejected", at: NOW - day * DAY }),
  );
  const [rule] = proposeRules(rejections, NOW);
  expect(rule?.does).toBe("deny");
  if (rule === undefined) return;
  expect(applyRule(active(rule), thanks, UNUSED, NOW)).toEqual({ applies: true });
  expect(applyRule(active(rule), { ...thanks, fences: ["link"] }, UNUSED, NOW)).toMatchObject({
    applies: false,
  });
  expect(proposalSentence(rule, WORDS)).toBe(
    "You rejected all 5 thank-you replies to people who mentioned you. Deny these automatically? In the last 30 days this would have denied 5 replies; 0 of them are ones you approved or edited.",
  );
});

const WORDS = { one: "reply", many: "replies", target: "to people who mentioned you" };

test("the sentence of a proposal has the evidence, the limit, and the rehearsed cost", () => {
  const approved = Array.from({ length: 14 }, (_, id) =>
    decision(id, { at: NOW - (1 + Math.floor(id / 5)) * DAY }),
  );
  const expired = Array.from({ length: 8 }, (_, id) =>
    decision(100 + id, { verdict: "undecided", at: NOW - (5 + Math.floor(id / 4)) * DAY }),
  );
  const [rule] = proposeRules([...approved, ...expired], NOW);
  expect(rule && proposalSentence(rule, WORDS)).toBe(
    "You approved all 14 thank-you replies to people who mentioned you and edited none. Allow these automatically, up to 5 a day? In the last 30 days this would have let through 22 replies for $0.33; 0 of them are ones you rejected or edited.",
  );
});

test("a rule ends with its day's limit, its budget and its expiry", () => {
  const days = [1, 2, 3, 4, 5].map((day, id) => decision(id, { at: NOW - day * DAY }));
  const [proposed] = proposeRules(days, NOW);
  if (proposed === undefined) return expect.fail("nothing was proposed");
  const rule = active(proposed);
  expect(rule.perDay).toBe(1);
  expect(rule.budgetMicros).toBe(150_000);
  const spent = (today: number, spentMicros: number, at = NOW) =>
    applyRule(rule, thanks, { today, spentMicros }, at);
  expect(spent(0, 135_000)).toEqual({ applies: true });
  expect(spent(1, 0)).toEqual({ applies: false, why: "daily_limit" });
  expect(spent(0, 135_001)).toEqual({ applies: false, why: "budget" });
  expect(rule.reviewAt).toBe(NOW + 15 * DAY);
  expect(spent(0, 0, NOW + 30 * DAY - 1)).toEqual({ applies: true });
  expect(spent(0, 0, NOW + 30 * DAY)).toEqual({ applies: false, why: "expired" });
});

test("a rule that is rehearsed applies to nothing before it starts", () => {
  const days = [1, 2, 3, 4, 5].map((day, id) => decision(id, { at: NOW - day * DAY }));
  const [proposed] = proposeRules(days, NOW);
  if (proposed === undefined) return expect.fail("nothing was proposed");
  const rule = { ...proposed, ...ruleDates(NOW, 30, 3) };
  const at = (now: number) => applyRule(rule, thanks, UNUSED, now);
  expect(at(NOW + 3 * DAY - 1)).toEqual({ applies: false, why: "rehearsed" });
  expect(at(NOW + 3 * DAY)).toEqual({ applies: true });
  expect(rule.expiresAt).toBe(NOW + 33 * DAY);
});

test("approvals of calls with a fence neither propose a rule nor prevent one for calls without", () => {
  const days = [1, 2, 3, 4, 5].map((day, id) => decision(id, { at: NOW - day * DAY }));
  const linked = decision(9, { facts: { ...thanks, fences: ["link"] }, at: NOW - DAY });
  expect(proposeRules([...days, linked], NOW).map(({ evidence }) => evidence)).toEqual([[4, 3, 2, 1, 0]]);
});

test("a rehearsal lists the calls that were decided otherwise", () => {
  const similar = allowSimilar({ ...thanks, length: 280 }, "week", NOW);
  if (!("rule" in similar)) return expect.fail(JSON.stringify(similar));
  const past = [
    decision(1, { at: NOW - DAY }),
    decision(2, { at: NOW - DAY, verdict: "rejected", facts: { ...thanks, length: 200 } }),
    decision(3, { at: NOW - 90 * DAY, verdict: "edited" }),
    decision(4, { at: NOW - DAY, verdict: "rejected", facts: { ...thanks, fences: ["link"] } }),
  ];
  expect(rehearseRule(similar.rule, past, NOW)).toEqual({
    days: 30,
    decided: [1, 2],
    micros: 30_000,
    counterexamples: [3, 2],
  });
});

test("calls of other agents, accounts, tools, prices and lengths are of other groups", () => {
  const others: readonly Partial<CallFacts>[] = [
    { scope: "200" },
    { caller: "agent:desk" },
    { tool: "post" },
    { effect: "send" },
    { argumentKinds: ["text:string"] },
    { target: "on the timeline" },
    { manner: "" },
    { micros: 200_000 },
    { length: 250 },
  ];
  for (const other of others) expect(groupKey({ ...thanks, ...other })).not.toBe(groupKey(thanks));
  expect(groupKey({ ...thanks, length: 31, micros: 15_500 })).toBe(groupKey(thanks));
});

test.each([
  ["Thanks!", 0],
  ["We sold 5000 copies in 2026", 0],
  ["Send $1,000.50 today", 1_000.5],
  ["kostet 1.500 €, früher 20 EUR", 1_500],
  ["a prize of $5k", 5_000],
  ["USD 2m for you", 2_000_000],
  ["just 30 dollars", 30],
])("the largest amount in %j is %d", (text, amount) => expect(largestAmount(text)).toBe(amount));

function decision(
  id: number,
  { at = NOW, verdict: said = "approved", facts: call = thanks }: Partial<PastDecision>,
): PastDecision {
  return { id, at, verdict: said, facts: call };
}
