import { describe, expect, test } from "vitest";
import {
  action,
  ads,
  deletion,
  like,
  message,
  policy,
  post,
  reply,
  repost,
  rule,
  thread,
  withoutRules,
  withPolicy,
} from "../../../test/policies.ts";
import type { PolicyAction } from "./decide.ts";
import { decide, type PolicyDecision } from "./decide.ts";
import type { Policy } from "./policy.ts";

const noon = Date.UTC(2026, 8, 30, 12);

/** In order; each row is a promise of the published table. */
const table: readonly (readonly [
  string,
  Policy,
  PolicyAction,
  PolicyDecision["kind"],
  string | undefined,
])[] = [
  ["without rules everything is allowed", policy(withoutRules), post, "allow", undefined],
  [
    "deleting waits for a person in any mode",
    policy(withoutRules),
    deletion,
    "require_approval",
    "hard:delete_approval",
  ],
  [
    "also where the rules are switched off",
    policy(withPolicy({ enforce_for_mutations: false })),
    deletion,
    "require_approval",
    "hard:delete_approval",
  ],
  [
    "and whatever a rule says",
    policy(withPolicy({ rules: [rule("free", 0, "allow")] })),
    deletion,
    "require_approval",
    "hard:delete_approval",
  ],
  [
    "composer mode asks for everything",
    policy({ ...withoutRules, mode: "composer" }),
    repost,
    "require_approval",
    "hard:composer_approval",
  ],
  [
    "composer mode goes before blocked tools",
    policy(withPolicy({ blocked_tools: ["x_post_tweet"] }, { mode: "composer" })),
    post,
    "require_approval",
    "hard:composer_approval",
  ],
  ["advertising waits for a person", policy(withoutRules), ads, "require_approval", "hard:ads_approval"],
  [
    "a request that X does not list waits for a person",
    policy(withoutRules),
    { ...post, isUnlisted: true },
    "require_approval",
    "hard:unlisted_approval",
  ],
  [
    "a blocked tool is denied",
    policy(withPolicy({ blocked_tools: ["post_tweet"] })),
    post,
    "deny",
    "v1:blocked:x_post_tweet",
  ],
  [
    "blocked goes before pretending",
    policy(withPolicy({ blocked_tools: ["x_post_tweet"], dry_run_mutations: true })),
    post,
    "deny",
    "v1:blocked:x_post_tweet",
  ],
  [
    "pretending goes before approval",
    policy(withPolicy({ dry_run_mutations: true, require_approval_for: ["x_post_tweet"] })),
    post,
    "dry_run",
    "v1:dry_run",
  ],
  [
    "approval by name, with or without x_",
    policy(withPolicy({ require_approval_for: ["post_tweet"] })),
    post,
    "require_approval",
    "v1:approval:x_post_tweet",
  ],
  [
    "lists by name count along with a template",
    policy(withPolicy({ template: "growth_aggressive", blocked_tools: ["x_post_tweet"] })),
    post,
    "deny",
    "v1:blocked:x_post_tweet",
  ],
  [
    "and along with rules, whatever their priority",
    policy(withPolicy({ rules: [rule("r", 0, "allow")], blocked_tools: ["x_post_tweet"] })),
    post,
    "deny",
    "v1:blocked:x_post_tweet",
  ],
  [
    "pretending counts along with a template",
    policy(withPolicy({ template: "growth_aggressive", dry_run_mutations: true })),
    post,
    "dry_run",
    "v1:dry_run",
  ],
  [
    "no template takes a tool off the list of those that a person approves",
    policy(withPolicy({ template: "growth_aggressive", require_approval_for: ["x_post_tweet"] })),
    post,
    "require_approval",
    "v1:approval:x_post_tweet",
  ],
  [
    "nor does a rule that allows it",
    policy(withPolicy({ rules: [rule("r", 0, "allow")], require_approval_for: ["x_post_tweet"] })),
    post,
    "require_approval",
    "v1:approval:x_post_tweet",
  ],
  [
    "nobody is asked for what a rule denies",
    policy(withPolicy({ rules: [rule("r", 900, "deny")], require_approval_for: ["x_post_tweet"] })),
    post,
    "deny",
    "r",
  ],
  [
    "safe_default asks for posts",
    policy(withPolicy({ template: "safe_default" })),
    post,
    "require_approval",
    "template:write",
  ],
  [
    "safe_default asks for threads",
    policy(withPolicy({ template: "safe_default" })),
    thread,
    "require_approval",
    "template:thread",
  ],
  [
    "safe_default allows engagement",
    policy(withPolicy({ template: "safe_default" })),
    repost,
    "allow",
    "template:engage",
  ],
  [
    "agency_mode allows all",
    policy(withPolicy({ template: "agency_mode" })),
    post,
    "allow",
    "template:allow",
  ],
  [
    "a template goes before rules of 200 and more",
    policy(withPolicy({ template: "safe_default", rules: [rule("free", 200, "allow")] })),
    post,
    "require_approval",
    "template:write",
  ],
  [
    "a rule of less than 100 goes before the template",
    policy(withPolicy({ template: "safe_default", rules: [rule("free", 50, "allow")] })),
    post,
    "allow",
    "free",
  ],
  [
    "the lowest priority decides",
    policy(withPolicy({ rules: [rule("later", 210, "deny"), rule("sooner", 205, "dry_run")] })),
    post,
    "dry_run",
    "sooner",
  ],
  [
    "of equals, the first",
    policy(withPolicy({ rules: [rule("first", 200, "dry_run"), rule("second", 200, "deny")] })),
    post,
    "dry_run",
    "first",
  ],
  [
    "a rule that is switched off decides nothing",
    policy(withPolicy({ rules: [{ ...rule("off", 200, "deny"), enabled: false }] })),
    post,
    "allow",
    undefined,
  ],
  [
    "all conditions must hold",
    policy(
      withPolicy({ rules: [rule("r", 200, "deny", { tools: ["x_post_tweet"], categories: ["engage"] })] }),
    ),
    post,
    "allow",
    undefined,
  ],
  [
    "of a condition one entry is enough",
    policy(withPolicy({ rules: [rule("r", 200, "deny", { categories: ["engage", "write"] })] })),
    post,
    "deny",
    "r",
  ],
  [
    "within its hours a rule decides",
    policy(
      withPolicy({
        rules: [rule("noon", 200, "deny", { schedule_window: { start_hour: 12, end_hour: 13 } })],
      }),
    ),
    post,
    "deny",
    "noon",
  ],
  [
    "outside its hours a rule decides nothing",
    policy(
      withPolicy({
        rules: [rule("night", 200, "deny", { schedule_window: { start_hour: 22, end_hour: 6 } })],
      }),
    ),
    post,
    "allow",
    undefined,
  ],
  ["likes are a person's own wish", policy(withoutRules), like, "require_approval", "hard:x_user_initiated"],
  [
    "at the terminal a person wishes",
    policy(withoutRules),
    { ...like, isByPerson: true },
    "allow",
    undefined,
  ],
  [
    "a blocked like stays denied",
    policy(withPolicy({ blocked_tools: ["like_tweet"] })),
    like,
    "deny",
    "v1:blocked:x_like_tweet",
  ],
  [
    "replies of a model need X's agreement",
    policy(withoutRules, { aiRepliesAgreed: false }),
    reply,
    "require_approval",
    "hard:x_ai_reply",
  ],
  ["with X's agreement they do not", policy(withoutRules), reply, "allow", undefined],
  [
    "nobody is answered twice",
    policy(withoutRules),
    { ...reply, isSecondReply: true },
    "deny",
    "hard:x_one_reply",
  ],
  [
    "nobody is called unasked",
    policy(withoutRules),
    { ...post, mentions: true },
    "require_approval",
    "hard:x_unsolicited_mention",
  ],
  [
    "nobody is written to unasked",
    policy(withoutRules),
    message,
    "require_approval",
    "hard:x_direct_message",
  ],
  [
    "a banned phrase is denied in a reply",
    policy(withoutRules),
    { ...reply, texts: ["You should CHECK OUT this"] },
    "deny",
    "limits:banned_phrase",
  ],
  ["elsewhere it is not", policy(withoutRules), { ...post, texts: ["check out this"] }, "allow", undefined],
  [
    "approval mode asks for what is allowed",
    policy(withoutRules, { approvalMode: true }),
    post,
    "require_approval",
    "approval_mode",
  ],
  [
    "approval mode denies what is denied",
    policy(withPolicy({ blocked_tools: ["x_post_tweet"] }), { approvalMode: true }),
    post,
    "deny",
    "v1:blocked:x_post_tweet",
  ],
  [
    "an upload publishes nothing",
    policy(withoutRules, { approvalMode: true }),
    action({ categories: ["media"] }),
    "allow",
    undefined,
  ],
];

describe("the decision table", () => {
  test.each(table)("%s", (_, rules, mutation, kind, ruleId) => {
    expect(decide(rules, mutation, { now: noon, isApproved: false })).toMatchObject({ kind, ruleId });
  });

  test("what a person has approved needs no approval, but what is denied stays denied", () => {
    for (const [name, rules, mutation, kind] of table) {
      const approved = decide(rules, mutation, { now: noon, isApproved: true });
      if (kind === "deny" || kind === "dry_run") expect(approved.kind, name).toBe(kind);
      expect(approved.kind, name).not.toBe("require_approval");
    }
  });

  test("approval mode never makes a decision looser", () => {
    for (const [name, , mutation] of table) {
      const loose = decide(policy(withoutRules), mutation, { now: noon, isApproved: false });
      const strict = decide(policy(withoutRules, { approvalMode: true, aiRepliesAgreed: false }), mutation, {
        now: noon,
        isApproved: false,
      });
      if (loose.kind !== "allow") expect(strict.kind, name).toBe(loose.kind);
    }
  });
});

test("asks as many people as the operator's rule says, also where a rule of the product asks first", () => {
  const two = {
    id: "two",
    conditions: { categories: ["delete"] },
    action: { type: "require_approval", reason: "", approvals_needed: 2 },
  };
  const moment = { now: noon, isApproved: false };
  const decided = (of: PolicyAction) => decide(policy(withPolicy({ rules: [two] })), of, moment);
  expect(decided(deletion)).toMatchObject({ ruleId: "hard:delete_approval", peopleNeeded: 2 });
  expect(decided(ads)).toEqual(decide(policy(withoutRules), ads, moment));
});
