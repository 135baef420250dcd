import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { configSchema } from "../config/schema.ts";
import { type Decision, decide } from "./decide.ts";
import { limitsFor } from "./limits-for.ts";
import { type Policy, policyFrom } from "./policy.ts";
import type { PolicyAction } from "./policy-rule.ts";

const known = [
  "x_post_tweet",
  "x_reply_to_tweet",
  "x_delete_tweet",
  "x_like_tweet",
  "x_retweet",
  "x_follow_user",
];
const noon = Date.UTC(2026, 8, 30, 12);

interface Declared {
  readonly approvalMode?: boolean;
  readonly aiRepliesAgreed?: boolean;
}

function policy(
  config: object = {},
  { approvalMode = false, aiRepliesAgreed = true }: Declared = {},
): Policy {
  const values = configSchema.parse(config);
  const made = policyFrom(values, { approvalMode, aiRepliesAgreed }, known);
  if (!made.ok) throw new Error(JSON.stringify(made.failure));
  return made.value;
}

function action(part: Partial<PolicyAction> = {}): PolicyAction {
  return {
    tools: ["x_post_tweet"],
    categories: ["write"],
    isByPerson: false,
    texts: ["Hello"],
    isReply: false,
    isSecondReply: false,
    mentions: false,
    ...part,
  };
}

const post = action();
const deletion = action({ tools: ["x_delete_tweet"], categories: ["delete"], texts: [] });
const repost = action({ tools: ["x_retweet"], categories: ["engage"], engagement: "repost", texts: [] });
const like = action({ tools: ["x_like_tweet"], categories: ["engage"], engagement: "like", texts: [] });
const reply = action({ tools: ["x_reply_to_tweet"], isReply: true, engagement: "reply" });
const thread = action({ tools: ["x_post_thread"], categories: ["thread"] });
const message = action({ tools: ["x_v2_dm_send_to_participant"], categories: ["direct_message"] });
const ads = action({ tools: ["x_ads_campaign_create"], categories: ["ads"], texts: [] });

const none = { mcp_policy: { require_approval_for: [] } };
const with_ = (mcp_policy: object, more: object = {}) => ({
  ...more,
  mcp_policy: { require_approval_for: [], ...mcp_policy },
});
const rule = (id: string, priority: number, type: string, conditions: object = {}) => ({
  id,
  priority,
  conditions,
  action: { type },
});

/** What decides, in order: each row is one promise of the published table. */
const table: readonly (readonly [string, Policy, PolicyAction, Decision["kind"], string | undefined])[] = [
  ["without rules everything is allowed", policy(none), post, "allow", undefined],
  [
    "deleting waits for a person in any mode",
    policy(none),
    deletion,
    "require_approval",
    "hard:delete_approval",
  ],
  [
    "also where the rules are switched off",
    policy(with_({ enforce_for_mutations: false })),
    deletion,
    "require_approval",
    "hard:delete_approval",
  ],
  [
    "and whatever a rule says",
    policy(with_({ rules: [rule("free", 0, "allow")] })),
    deletion,
    "require_approval",
    "hard:delete_approval",
  ],
  [
    "composer mode asks for everything",
    policy({ ...none, mode: "composer" }),
    repost,
    "require_approval",
    "hard:composer_approval",
  ],
  [
    "composer mode goes before blocked tools",
    policy(with_({ blocked_tools: ["x_post_tweet"] }, { mode: "composer" })),
    post,
    "require_approval",
    "hard:composer_approval",
  ],
  ["advertising waits for a person", policy(none), ads, "require_approval", "hard:ads_approval"],
  [
    "a request that X does not list waits for a person",
    policy(none),
    { ...post, isUnlisted: true },
    "require_approval",
    "hard:unlisted_approval",
  ],
  [
    "a blocked tool is denied",
    policy(with_({ blocked_tools: ["post_tweet"] })),
    post,
    "deny",
    "v1:blocked:x_post_tweet",
  ],
  [
    "blocked goes before pretending",
    policy(with_({ blocked_tools: ["x_post_tweet"], dry_run_mutations: true })),
    post,
    "deny",
    "v1:blocked:x_post_tweet",
  ],
  [
    "pretending goes before approval",
    policy(with_({ dry_run_mutations: true, require_approval_for: ["x_post_tweet"] })),
    post,
    "dry_run",
    "v1:dry_run",
  ],
  [
    "approval by name, with or without x_",
    policy(with_({ require_approval_for: ["post_tweet"] })),
    post,
    "require_approval",
    "v1:approval:x_post_tweet",
  ],
  [
    "lists by name count beside a template",
    policy(with_({ template: "growth_aggressive", blocked_tools: ["x_post_tweet"] })),
    post,
    "deny",
    "v1:blocked:x_post_tweet",
  ],
  [
    "and beside rules, whatever their priority",
    policy(with_({ rules: [rule("r", 0, "allow")], blocked_tools: ["x_post_tweet"] })),
    post,
    "deny",
    "v1:blocked:x_post_tweet",
  ],
  [
    "pretending counts beside a template",
    policy(with_({ template: "growth_aggressive", dry_run_mutations: true })),
    post,
    "dry_run",
    "v1:dry_run",
  ],
  [
    "no template takes a tool off the list of those that a person approves",
    policy(with_({ template: "growth_aggressive", require_approval_for: ["x_post_tweet"] })),
    post,
    "require_approval",
    "v1:approval:x_post_tweet",
  ],
  [
    "nor does a rule that allows it",
    policy(with_({ rules: [rule("r", 0, "allow")], require_approval_for: ["x_post_tweet"] })),
    post,
    "require_approval",
    "v1:approval:x_post_tweet",
  ],
  [
    "nobody is asked for what a rule denies",
    policy(with_({ rules: [rule("r", 900, "deny")], require_approval_for: ["x_post_tweet"] })),
    post,
    "deny",
    "r",
  ],
  [
    "safe_default asks for posts",
    policy(with_({ template: "safe_default" })),
    post,
    "require_approval",
    "template:write",
  ],
  [
    "safe_default asks for threads",
    policy(with_({ template: "safe_default" })),
    thread,
    "require_approval",
    "template:thread",
  ],
  [
    "safe_default allows engagement",
    policy(with_({ template: "safe_default" })),
    repost,
    "allow",
    "template:engage",
  ],
  ["agency_mode allows all", policy(with_({ template: "agency_mode" })), post, "allow", "template:allow"],
  [
    "a template goes before rules of 200 and more",
    policy(with_({ template: "safe_default", rules: [rule("free", 200, "allow")] })),
    post,
    "require_approval",
    "template:write",
  ],
  [
    "a rule of less than 100 goes before the template",
    policy(with_({ template: "safe_default", rules: [rule("free", 50, "allow")] })),
    post,
    "allow",
    "free",
  ],
  [
    "the lowest priority decides",
    policy(with_({ rules: [rule("later", 210, "deny"), rule("sooner", 205, "dry_run")] })),
    post,
    "dry_run",
    "sooner",
  ],
  [
    "of equals, the first",
    policy(with_({ rules: [rule("first", 200, "dry_run"), rule("second", 200, "deny")] })),
    post,
    "dry_run",
    "first",
  ],
  [
    "a rule that is switched off decides nothing",
    policy(with_({ rules: [{ ...rule("off", 200, "deny"), enabled: false }] })),
    post,
    "allow",
    undefined,
  ],
  [
    "all conditions must hold",
    policy(with_({ rules: [rule("r", 200, "deny", { tools: ["x_post_tweet"], categories: ["engage"] })] })),
    post,
    "allow",
    undefined,
  ],
  [
    "of a condition one entry is enough",
    policy(with_({ rules: [rule("r", 200, "deny", { categories: ["engage", "write"] })] })),
    post,
    "deny",
    "r",
  ],
  [
    "outside its hours a rule decides nothing",
    policy(
      with_({ rules: [rule("night", 200, "deny", { schedule_window: { start_hour: 22, end_hour: 6 } })] }),
    ),
    post,
    "allow",
    undefined,
  ],
  ["likes are a person's own wish", policy(none), like, "require_approval", "hard:x_user_initiated"],
  ["at the terminal a person wishes", policy(none), { ...like, isByPerson: true }, "allow", undefined],
  [
    "a blocked like stays denied",
    policy(with_({ blocked_tools: ["like_tweet"] })),
    like,
    "deny",
    "v1:blocked:x_like_tweet",
  ],
  [
    "replies of a model need X's agreement",
    policy(none, { aiRepliesAgreed: false }),
    reply,
    "require_approval",
    "hard:x_ai_reply",
  ],
  ["with X's agreement they do not", policy(none), reply, "allow", undefined],
  ["nobody is answered twice", policy(none), { ...reply, isSecondReply: true }, "deny", "hard:x_one_reply"],
  [
    "nobody is called unasked",
    policy(none),
    { ...post, mentions: true },
    "require_approval",
    "hard:x_unsolicited_mention",
  ],
  ["nobody is written to unasked", policy(none), message, "require_approval", "hard:x_direct_message"],
  [
    "a banned phrase is denied in a reply",
    policy(none),
    { ...reply, texts: ["You should CHECK OUT this"] },
    "deny",
    "limits:banned_phrase",
  ],
  ["elsewhere it is not", policy(none), { ...post, texts: ["check out this"] }, "allow", undefined],
  [
    "approval mode asks for what is allowed",
    policy(none, { approvalMode: true }),
    post,
    "require_approval",
    "approval_mode",
  ],
  [
    "approval mode denies what is denied",
    policy(with_({ blocked_tools: ["x_post_tweet"] }), { approvalMode: true }),
    post,
    "deny",
    "v1:blocked:x_post_tweet",
  ],
  [
    "an upload publishes nothing",
    policy(none, { approvalMode: true }),
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
      const loose = decide(policy(none), mutation, { now: noon, isApproved: false });
      const strict = decide(policy(none, { approvalMode: true, aiRepliesAgreed: false }), mutation, {
        now: noon,
        isApproved: false,
      });
      if (loose.kind !== "allow") expect(strict.kind, name).toBe(loose.kind);
    }
  });
});

describe("limits", () => {
  const keys = (config: object, mutation: PolicyAction) =>
    limitsFor(policy(config), mutation).map(({ key, max }) => `${key} ${max}`);
  const limit = (key: string, dimension: string, match_value: string) => ({
    key,
    dimension,
    match_value,
    max_count: 1,
    period_seconds: 60,
  });

  test("of the product hold beside those of the section limits", () => {
    expect(keys(none, post)).toEqual(["mcp_mutation 20", "tweets_per_day 6"]);
    expect(keys(none, reply)).toEqual(["mcp_mutation 20", "replies_per_day 5"]);
    expect(keys(none, thread)).toEqual(["mcp_mutation 20", "threads_per_week 1"]);
    expect(keys(with_({ enforce_for_mutations: false }), post)).toEqual(["tweets_per_day 6"]);
  });

  test("of a template hold without anything else being set up", () => {
    expect(keys(with_({ template: "agency_mode" }), like)).toEqual([
      "template:global 200",
      "template:x_like_tweet 50",
    ]);
  });

  test("match by their dimension, and * matches all", () => {
    const rate_limits = [
      limit("a", "tool", "post_tweet"),
      limit("b", "category", "engage"),
      limit("c", "engagement_type", "like"),
      limit("d", "tool", "*"),
      limit("e", "global", ""),
    ];
    expect(keys(with_({ rate_limits }), post).slice(1, -1)).toEqual(["limit:a 1", "limit:d 1", "limit:e 1"]);
    expect(keys(with_({ rate_limits }), like).slice(1)).toEqual([
      "limit:b 1",
      "limit:c 1",
      "limit:d 1",
      "limit:e 1",
    ]);
  });
});

describe("a name in the configuration", () => {
  test.each([
    ["blocked_tools", { blocked_tools: ["x_post_twet"] }, "mcp_policy.blocked_tools"],
    ["require_approval_for", { require_approval_for: ["nonsense"] }, "mcp_policy.require_approval_for"],
    [
      "rules",
      { rules: [rule("r", 1, "deny", { tools: ["y_post"] })] },
      "mcp_policy.rules.r.conditions.tools",
    ],
    [
      "categories",
      { rules: [rule("r", 1, "deny", { categories: ["writing"] })] },
      "mcp_policy.rules.r.conditions.categories",
    ],
    [
      "rate_limits",
      { rate_limits: [{ key: "k", dimension: "tool", match_value: "zzz", max_count: 1, period_seconds: 1 }] },
      "mcp_policy.rate_limits.k.match_value",
    ],
    [
      "engagement_type",
      {
        rate_limits: [
          {
            key: "k",
            dimension: "engagement_type",
            match_value: "retweet",
            max_count: 1,
            period_seconds: 1,
          },
        ],
      },
      "mcp_policy.rate_limits.k.match_value",
    ],
  ])("that nothing has is refused at the start: %s", (_, config, key) => {
    const values = configSchema.parse(with_(config));
    const made = policyFrom(values, { approvalMode: false, aiRepliesAgreed: false }, known);
    expect(made).toMatchObject({ ok: false, failure: [{ key }] });
  });

  test("comes with the nearest one", () => {
    const made = policyFrom(
      configSchema.parse(with_({ blocked_tools: ["x_post_twet"] })),
      { approvalMode: false, aiRepliesAgreed: false },
      known,
    );
    expect(made).toMatchObject({
      failure: [{ message: 'names no tool: "x_post_twet". Did you mean x_post_tweet?' }],
    });
  });

  test("of the defaults is one", () => {
    expect(policyFrom(configSchema.parse({}), { approvalMode: true, aiRepliesAgreed: false }, known).ok).toBe(
      true,
    );
  });
});

test("a rule's hours agree with a plain walk through the hours", () => {
  const hour = fc.nat(23);
  const days = fc.subarray(["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const);
  fc.assert(
    fc.property(hour, hour, days, fc.nat(7 * 24 - 1), (start_hour, end_hour, on, at) => {
      // A Monday at midnight.
      const now = Date.UTC(2026, 8, 28) + at * 3_600_000;
      const rules = policy(
        with_({ rules: [rule("r", 200, "deny", { schedule_window: { start_hour, end_hour, days: on } })] }),
      );
      const decided = decide(rules, post, { now, isApproved: false }).kind === "deny";
      const names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
      const length = ((end_hour - start_hour + 23) % 24) + 1;
      const covered = names.some((day, index) => {
        if (on.length > 0 && !on.includes(day)) return false;
        const begins = index * 24 + start_hour;
        return (at - begins + 168) % 168 < length;
      });
      expect(decided).toBe(covered);
    }),
  );
});

test("a rule's hours are those of its time zone, also where the clocks change", () => {
  const rules = policy(
    with_({
      rules: [
        rule("r", 200, "deny", {
          schedule_window: { start_hour: 9, end_hour: 10, timezone: "Europe/Vienna" },
        }),
      ],
    }),
  );
  const at = (iso: string) => decide(rules, post, { now: Date.parse(iso), isApproved: false }).kind;
  expect(at("2026-07-01T07:30:00Z")).toBe("deny");
  expect(at("2026-01-15T08:30:00Z")).toBe("deny");
  expect(at("2026-01-15T07:30:00Z")).toBe("allow");
});
