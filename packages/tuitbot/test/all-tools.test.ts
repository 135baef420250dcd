import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { EFFECTS, successEnvelope, type Tool } from "@toolpact/contract";
import { type OperationId, operations } from "@toolpact/x-api";
import type { FaultWish, JournalEntry } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { type ErrorCode, errors } from "../src/errors.ts";
import { isLocal } from "../src/guards/mutation.ts";
import { profileManifest } from "../src/manifest.ts";
import { isWorkflowProfile, type Profile, profiles } from "../src/profiles.ts";
import { IDEMPOTENCY_KEY } from "../src/receipts/call-identity.ts";
import { allTools } from "../src/tools/index.ts";
import { operationsOf } from "../src/tools/x-operations.ts";
import { envelopeOf } from "./envelope-shape.ts";
import { type Answer, type LiveStage, openStage } from "./live-stage.ts";
import { toolCalls } from "./tool-calls.ts";

/**
 * Every tool of every profile, called by a real client in a real server process with the sandbox as its X: every
 * failure it declares, then its success, then its repetition. What X saw is read from the sandbox's journal.
 */
describe.each(profiles)("in the profile %s", (profile) => {
  const listed = allTools.filter((tool) => tool.profiles.includes(profile));
  const tools = listed.filter(({ name }) => toolCalls[name] !== undefined);
  /** Tools that call X, by the operation that they call last. */
  const asking = tools.filter((tool) => primaryOperation(tool) !== undefined);
  const seen = new Map<string, Set<string>>(tools.map(({ name }) => [name, new Set()]));
  /** Codes that did not come because reading back showed what was wanted. */
  const foundDone = new Map<string, Set<string>>(tools.map(({ name }) => [name, new Set()]));
  const manifest = profileManifest(profile);
  const envelope = envelopeOf(profile);
  let stage: LiveStage;

  beforeAll(async () => {
    stage = await openStage(profile, { NODE_OPTIONS: `--import ${HELD_CLOCK}` });
    // Who is signed in is asked once; what is planned later is for the operation of the tool itself.
    await stage.call("x_get_home_timeline", {});
  });

  afterAll(() => stage?.close());

  /**
   * A call whose answer has the profile's shape and, if it failed, a code that the manifest announces. What a safety
   * rule wants to have approved is approved.
   */
  async function call(tool: Tool, args: Record<string, unknown>): Promise<Answer> {
    const answer = await shaped(tool.name, args);
    const { policy_decision, details } = answer.error ?? {};
    if (policy_decision === "routed_to_approval") {
      const released = await shaped("approve_item", { id: details?.approval_queue_id });
      if (!released.success) {
        if (released.error !== undefined) seen.get("approve_item")?.add(released.error.code);
        return checked(tool, released);
      }
      const { result } = released.data as { readonly result: unknown };
      return { ...released, data: result };
    }
    return checked(tool, answer);
  }

  async function shaped(name: string, args: Record<string, unknown>): Promise<Answer> {
    const answer = await stage.call(name, args);
    const { error } = envelope.safeParse(answer);
    expect(error?.issues ?? [], `${name} ${JSON.stringify(answer)}`).toEqual([]);
    return answer;
  }

  function checked(tool: Tool, answer: Answer): Answer {
    if (answer.error !== undefined) {
      const entry = manifest.tools.find(({ name }) => name === tool.name);
      const announced = [...(entry?.possible_error_codes ?? []), ...manifest.common_error_codes];
      expect(announced, `${tool.name} failed with ${answer.error.code}`).toContain(answer.error.code);
      seen.get(tool.name)?.add(answer.error.code);
    }
    return answer;
  }

  /** Where calls are remembered, a change whose answer got lost is looked for at X. */
  function isLookedFor(tool: Tool, { kind }: Trouble["fault"]): boolean {
    const isLost = kind === "html" || kind === "drop";
    return isLost && isWorkflowProfile(profile) && isChange(tool);
  }

  const argsOf = async (tool: Tool) => (await toolCalls[tool.name]?.args(stage)) ?? {};

  /** As often as it is wanted: where calls are remembered, each has a key of its own. */
  async function freshArgsOf(tool: Tool): Promise<Record<string, unknown>> {
    const args = idsOnly((await toolCalls[tool.name]?.fresh?.(stage)) ?? (await argsOf(tool)));
    const takesKey = isWorkflowProfile(profile) && IDEMPOTENCY_KEY in inputProperties(tool.name);
    return takesKey ? { ...args, [IDEMPOTENCY_KEY]: randomUUID() } : args;
  }

  function inputProperties(name: string): object {
    // What the manifest holds for a tool is the schema that clients get.
    const { input_schema } = manifest.tools.find((entry) => entry.name === name) as unknown as {
      readonly input_schema: { readonly properties?: object };
    };
    return input_schema.properties ?? {};
  }

  it("lists the tools that the manifest announces, and this suite knows how to call each", () => {
    expect(stage.listed).toEqual(manifest.tools.map(({ name }) => name));
    expect(stage.listed).toEqual(listed.map(({ name }) => name).sort());
    expect(listed.filter((tool) => !tools.includes(tool)).map(({ name }) => name)).toEqual([]);
  });

  it("refuses arguments that a tool does not have, without asking X", async () => {
    for (const tool of tools) {
      const args = await argsOf(tool);
      const before = journal().length;
      const { error } = await call(tool, { ...args, surprise: true });
      expect([tool.name, error?.code]).toEqual([tool.name, "invalid_input"]);
      expect(error?.message).toContain("`surprise`");
      expect(journal(), tool.name).toHaveLength(before);
    }
  });

  it("fails in each tool's own ways", async () => {
    for (const tool of tools) {
      for (const failure of toolCalls[tool.name]?.failures ?? []) {
        const args = await failure.args(stage);
        const before = journal().length;
        if (failure.fault !== undefined) stage.sandbox.faults.add(failure.fault);
        const { error } = await call(tool, args);
        const told = `${tool.name} with ${failure.what}: ${JSON.stringify(error)}`;
        expect(error?.code, told).toBe(failure.code);
        if (failure.reason !== undefined) expect(error?.reason, told).toBe(failure.reason);
        expect(journal().length > before, told).toBe(failure.asksX);
      }
    }
  });

  it("turns every trouble of X's into the code it stands for", async () => {
    // Faults go by operation, so tools of different operations can meet theirs at the same time; but what changes
    // something may read back or look at others' posts, and must meet no trouble but its own.
    const [changes, reads] = [asking.filter(isChange), asking.filter((tool) => !isChange(tool))];
    await eachOperation(reads, meetTroubles);
    for (const tool of changes) {
      const operation = primaryOperation(tool);
      if (operation !== undefined) await meetTroubles(tool, operation);
    }

    async function meetTroubles(tool: Tool, operation: OperationId): Promise<void> {
      for (const { fault, code, reason } of troubles(tool, operation)) {
        const id = stage.sandbox.faults.add({ operation, ...fault });
        const { error } = await call(tool, await freshArgsOf(tool));
        stage.sandbox.faults.remove(id);
        const told = `${tool.name} under ${fault.kind} ${fault.status ?? ""}: ${JSON.stringify(error)}`;
        if (error === undefined && isLookedFor(tool, fault)) {
          foundDone.get(tool.name)?.add(code);
          continue;
        }
        expect(error?.code, told).toBe(code);
        if (reason !== undefined) expect(error?.reason, told).toBe(reason);
        if (code === "x_rate_limited") {
          expect(error?.retry_after_ms, told).toBeGreaterThan(0);
          expect(error?.rate_limit_reset, told).toMatch(/Z$/);
        }
      }
    }
  }, 60_000);

  it("says what stands behind a refusal of X's", async () => {
    const { sandbox } = stage;
    const owner = sandbox.person("sandbox_owner");
    sandbox.app.enrolled = false;
    await refusedEverywhere(() => true, "x_forbidden", "not_enrolled");
    sandbox.app.enrolled = true;

    owner.standing = "suspended";
    await refusedEverywhere((id) => !isOfApp(id), "x_account_restricted", "suspended");
    owner.standing = "active";

    const { balanceUsd, monthlyPostCap } = sandbox.ledger;
    sandbox.ledger.balanceUsd = 0;
    await refusedEverywhere((id) => operations[id].price !== undefined, "x_forbidden", "credits_depleted");
    sandbox.ledger.balanceUsd = balanceUsd;

    sandbox.ledger.monthlyPostCap = 0;
    await refusedEverywhere((id) => operations[id].price === "posts_read", "x_forbidden", "usage_capped");
    sandbox.ledger.monthlyPostCap = monthlyPostCap;

    stage.signIn(["offline.access"]);
    const scoped = (id: OperationId) => scopesOf(id).length > 0;
    for (const { error, operation, tool } of await refusedEverywhere(
      scoped,
      "x_forbidden",
      "missing_scope",
    )) {
      expect(error?.details?.scopes, tool).toEqual(scopesOf(operation));
      expect(error?.suggested_fix, tool).toContain("tuitbot auth login");
    }
    stage.signIn();
  }, 60_000);

  /** Calls every tool whose operation is named, and expects the same of all. */
  async function refusedEverywhere(
    which: (operation: OperationId) => boolean,
    code: ErrorCode,
    reason: string,
  ) {
    const answers: { tool: string; operation: OperationId; error: Answer["error"] }[] = [];
    await eachOperation(asking, async (tool, operation) => {
      if (!which(operation) || NEVER_FAILS.has(tool.name)) return;
      const { error } = await call(tool, await freshArgsOf(tool));
      expect([tool.name, error?.code, error?.reason]).toEqual([tool.name, code, reason]);
      answers.push({ tool: tool.name, operation, error });
    });
    return answers;
  }

  /** Names would be looked up first, and that would meet the trouble. */
  function idsOnly(args: Record<string, unknown>): Record<string, unknown> {
    const ids = new Map([
      ["@sandbox_friend", stage.friend],
      ["https://x.com/sandbox_friend", stage.friend],
    ]);
    return Object.fromEntries(
      Object.entries(args).map(([name, value]) => [
        name,
        name === "username" ? value : (ids.get(String(value)) ?? value),
      ]),
    );
  }

  it("does what it says, and asks X for nothing else", async () => {
    // Past every window of X's limits that the failures before have used.
    stage.sandbox.clock.advance(16 * 60_000);
    for (const tool of tools) {
      if (isRemoved(tool)) continue;
      const args = await argsOf(tool);
      const before = journal().length;
      const answer = await call(tool, args);
      expect(answer.success, `${tool.name}: ${JSON.stringify(answer.error)}`).toBe(true);
      const fits = z.fromJSONSchema(outputSchema(tool)).safeParse(answer);
      expect(fits.error?.issues ?? [], `${tool.name} ${JSON.stringify(answer.data)}`).toEqual([]);
      checkJournal(tool, journal().slice(before));

      if (!isRefusedAgain(tool, profile)) continue;
      const after = journal().length;
      const { error } = await call(tool, args);
      expect([tool.name, error?.code, error?.reason]).toEqual([
        tool.name,
        "validation_error",
        "duplicate_request",
      ]);
      expect(journal()).toHaveLength(after);
    }
  }, 60_000);

  it.runIf(tools.some(({ name }) => name === "x_post_thread"))(
    "goes on with a thread that was cut, and posts nothing twice",
    async () => {
      const tweets = ["Cut one.", "Cut two.", "Cut three."];
      stage.sandbox.faults.add({ operation: "createPosts", kind: "drop", at: 2 });
      const { error } = await stage.call("x_post_thread", { tweets });
      expect(error).toMatchObject({ code: "thread_partial_failure", details: { failed_at_index: 1 } });
      const done = await stage.call("x_post_thread", { tweets, resume: error?.details?.resume });
      expect(done).toMatchObject({ success: true, data: { tweet_count: 3 } });
      const out = stage.sandbox.dump().posts.filter(({ text }) => text.startsWith("Cut "));
      expect(out.map(({ text }) => text)).toEqual(tweets);
    },
  );

  it.runIf(isWorkflowProfile(profile))("says when the database cannot be used", async () => {
    const calls = [];
    for (const tool of tools)
      if (tool.errors.includes("db_error")) calls.push({ tool, args: await argsOf(tool) });
    const mend = breakDatabase(stage.database);
    for (const { tool, args } of calls) {
      const { error } = await call(tool, args);
      expect([tool.name, error?.code]).toEqual([tool.name, BROKEN[tool.name] ?? "db_error"]);
    }
    mend();
    expect((await stage.call("get_pending_count", {})).success).toBe(true);
  });

  it("has failed in every way that it declares", () => {
    for (const tool of tools) {
      const unseen = tool.errors.filter(
        (code) =>
          !seen.get(tool.name)?.has(code) &&
          !foundDone.get(tool.name)?.has(code) &&
          !UNSEEN[tool.name]?.includes(code) &&
          !(code === "x_account_restricted" && operationsFor(tool).every(isOfApp)) &&
          // Without keys that is all they say; with keys see ads.test.ts.
          !(tool.category === "ads" && code !== "x_forbidden"),
      );
      expect([tool.name, unseen]).toEqual([tool.name, []]);
    }
  });

  function journal(): readonly JournalEntry[] {
    return stage.sandbox.journal.entries;
  }

  function checkJournal(tool: Tool, requests: readonly JournalEntry[]): void {
    // What it releases is a call of another tool.
    if (RELEASING.has(tool.name)) return;
    const own = operationsFor(tool);
    const called = requests.map(({ operation }) => operation);
    const strange = called.filter((id) => ![...own, ...ASKED_BESIDE].some((known) => known === id));
    expect([tool.name, strange]).toEqual([tool.name, []]);
    // X carries out nothing that it answers with 401.
    const changes = requests.filter(
      ({ method, path, status }) => method !== "GET" && !path.startsWith("/2/oauth2") && status !== 401,
    );
    if (!isChange(tool)) expect([tool.name, changes]).toEqual([tool.name, []]);
    else
      expect([tool.name, changes.map(({ status }) => status)]).toEqual([
        tool.name,
        changes.map(() => expect.toBeOneOf([200, 201])),
      ]);
    if (tool.needs.includes("x"))
      expect(
        called.some((id) => own.some((known) => known === id)),
        tool.name,
      ).toBe(true);
    else expect([tool.name, changes]).toEqual([tool.name, []]);
  }
});

describe("on the plan that most people have", () => {
  let stage: LiveStage;
  beforeAll(async () => {
    // This X would allow everything, so what is refused was refused without asking it.
    stage = await openStage("write", { TUITBOT_X_API__PLAN: "self_serve" });
  });
  afterAll(() => stage?.close());

  it.each(["x_like_tweet", "x_follow_user", "x_quote_tweet"])(
    "%s says what would change that",
    async (tool) => {
      const before = stage.sandbox.journal.entries.length;
      const { error } = await stage.call(tool, (await toolCalls[tool]?.args(stage)) ?? {});
      expect(error).toMatchObject({
        code: "x_forbidden",
        reason: "unavailable_on_plan",
        details: { needs: "enterprise", since: "2026-04-20" },
        suggested_fix: expect.stringContaining("enterprise"),
      });
      expect(stage.sandbox.journal.entries).toHaveLength(before);
    },
  );

  it.each([
    ["x_post_tweet_dry_run", { text: "$AAPL or $TSLA?" }],
    ["x_post_thread_dry_run", { tweets: ["Which?", "$AAPL or $TSLA?"] }],
  ])("%s says what X would not take", async (tool, args) => {
    const { error } = await stage.call(tool, args);
    expect(error).toMatchObject({ code: "x_forbidden", reason: "unavailable_on_plan" });
  });

  it("no reply is written that X would refuse", async () => {
    const { model, call } = stage;
    model.says("Mine needed a longer rest.");
    const reply = (tweet_text: string) =>
      call("generate_reply", { tweet_text, tweet_author: "@sandbox_friend" });
    const { error } = await reply("My loaf is flat.");
    expect(error).toMatchObject({
      code: "x_forbidden",
      reason: "unavailable_on_plan",
      details: { action: "reply", needs: "summons" },
    });
    expect(model.requests).toEqual([]);
    expect(await reply("Why is my loaf flat, @sandbox_owner?")).toMatchObject({
      success: true,
      data: { reply: "Mine needed a longer rest." },
    });
  });

  it("no draft is kept that X would refuse", async () => {
    stage.model.says("Flour is cheap.");
    const { data } = await stage.call("compose_tweet", { topic: "flour" });
    const { draft_id: id } = data as { readonly draft_id: number };
    const { error } = await stage.call("edit_draft", { id, texts: ["$FLOUR and $RYE are cheap."] });
    expect(error).toMatchObject({ code: "x_forbidden", details: { needs: "fewer_cashtags" } });
  });

  it("get_capabilities lists them", async () => {
    const { data } = await stage.call("get_capabilities", {});
    expect(data).toMatchObject({ tier: "self_serve", can_post_tweets: true, can_reply: true });
    const closed = (data as { unavailable_tools: { name: string }[] }).unavailable_tools;
    expect(closed.map(({ name }) => name)).toEqual([
      "x_follow_user",
      "x_like_tweet",
      "x_quote_tweet",
      "x_v2_blocks_create",
      "x_v2_blocks_delete",
      "x_v2_users_pin_tweet",
      "x_v2_users_unpin_tweet",
    ]);
  });
});

/** A server looks by the clock for what got no answer, and would meet the troubles that are meant for a call. */
const HELD_CLOCK = new URL("held-clock.ts", import.meta.url).href;

/** Codes that this suite's configuration or the order of its calls keeps from coming. */
const UNSEEN: Readonly<Record<string, readonly string[]>> = {
  // X would have to fail at the one question of who is signed in, which was answered before.
  x_post_thread: ["x_api_error", "x_network_error"],
  // The agent may approve here, and nothing waits but what safety rules ask about: see self-approval.test.ts.
  approve_all: ["policy_denied_hard_rule"],
  reject_item: ["policy_denied_hard_rule"],
  approve_item: [
    "tweet_too_long",
    "unsupported_media_type",
    "file_read_error",
    "media_upload_error",
    "x_not_configured",
    "policy_denied_blocked",
    "policy_denied_rate_limited",
    "policy_denied_hard_rule",
    "policy_denied_user_rule",
  ],
  // As x_post_tweet and x_post_thread, which it calls.
  publish_draft: [
    "tweet_too_long",
    "x_account_restricted",
    "x_network_error",
    "x_api_error",
    "policy_denied_blocked",
    "policy_denied_rate_limited",
    "policy_denied_hard_rule",
    "policy_denied_user_rule",
  ],
  // Only while the database is busy or away.
  get_author_context: ["db_error"],
  recommend_engagement_action: ["db_error"],
  topic_performance_snapshot: ["db_error"],
  // On the plan that most people have, below.
  generate_reply: ["x_forbidden"],
  edit_draft: ["x_forbidden"],
  x_post_tweet_dry_run: ["x_forbidden"],
  x_post_thread_dry_run: ["x_forbidden"],
};

/** Finding out who is signed in, and whom an @name means. */
const ASKED_BESIDE = ["getUsersMe", "getUsersByUsername", "oauth2.token"];

const RELEASING: ReadonlySet<string> = new Set([
  "approve_item",
  "approve_all",
  "propose_and_queue_replies",
  "publish_draft",
]);

/** What tools with a code of their own answer when the database cannot be read. */
const BROKEN: Readonly<Record<string, ErrorCode>> = {
  get_author_context: "context_error",
  recommend_engagement_action: "recommendation_error",
  topic_performance_snapshot: "topic_error",
};

/** Tools that tell of trouble in their data. */
const NEVER_FAILS: ReadonlySet<string> = new Set(["health_check", "get_capabilities"]);

function operationsFor(tool: Tool): readonly OperationId[] {
  const named = toolCalls[tool.name]?.operation;
  return named === undefined ? (operationsOf[tool.name] ?? []) : [named];
}

function primaryOperation(tool: Tool): OperationId | undefined {
  return tool.needs.includes("x") ? operationsFor(tool)[0] : undefined;
}

function isRemoved(tool: Tool): boolean {
  return tool.needs.includes("x") && operationsFor(tool).length === 0;
}

/** The same upload publishes nothing; where calls are remembered it may be made again. */
function isRefusedAgain({ name, effects }: Tool, profile: Profile): boolean {
  if (isWorkflowProfile(profile) && (name === "x_upload_media" || isLocal(name))) return false;
  return effects.some((effect) => EFFECTS[effect].guarded);
}

/** X takes only the app's token for it, so no account's standing matters. */
function isOfApp(operation: OperationId): boolean {
  const { auth } = operations[operation];
  return auth.length > 0 && auth.every(({ scheme }) => scheme === "bearer");
}

/** Takes every table away from the server at work, and answers with how they come back. */
function breakDatabase(file: string): () => void {
  const database = new DatabaseSync(file, { timeout: 10_000 });
  const tables = database
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .all()
    .map(({ name }) => String(name));
  for (const name of tables) database.exec(`alter table "${name}" rename to "gone_${name}"`);
  return () => {
    for (const name of tables) database.exec(`alter table "gone_${name}" rename to "${name}"`);
    database.close();
  };
}

function isChange({ effects }: Tool): boolean {
  return effects.some((effect) => EFFECTS[effect].mutates);
}

/** Operations side by side, the tools of one operation one after the other. */
async function eachOperation(
  tools: readonly Tool[],
  act: (tool: Tool, operation: OperationId) => Promise<void>,
): Promise<void> {
  const groups = Map.groupBy(tools, primaryOperation);
  const ends = await Promise.allSettled(
    [...groups].map(async ([operation, group]) => {
      if (operation === undefined) return;
      for (const tool of group) await act(tool, operation);
    }),
  );
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

interface Trouble {
  readonly fault: Omit<FaultWish, "operation">;
  readonly code: ErrorCode;
  readonly reason?: string;
}

/** Each way in which X can fail, and what becomes of it. */
function troubles(tool: Tool, operation: OperationId): readonly Trouble[] {
  // Reads are repeated twice, except for those that are sent as they are.
  const isRepeated = operations[operation].method === "GET" && tool.name !== "x_get";
  const count = isRepeated ? 3 : 1;
  // The first post of a thread may then be out.
  const isThread = tool.name === "x_post_thread";
  return [
    { fault: { kind: "rate_limited" }, code: "x_rate_limited", reason: "window" },
    { fault: { kind: "unauthorized", count: 2 }, code: "x_auth_expired" },
    { fault: { kind: "error", status: 400 }, code: "invalid_input" },
    { fault: { kind: "error", status: 402 }, code: "x_forbidden", reason: "credits_depleted" },
    { fault: { kind: "error", status: 403 }, code: "x_forbidden" },
    { fault: { kind: "error", status: 404 }, code: "not_found" },
    {
      fault: { kind: "html", status: 502, count },
      code: isThread ? "thread_partial_failure" : "x_api_error",
    },
    {
      fault: { kind: "drop", when: "before", count },
      code: isThread ? "thread_partial_failure" : "x_network_error",
    },
  ];
}

function scopesOf(operation: OperationId): readonly string[] {
  const auth = operations[operation].auth.find(({ scheme }) => scheme === "oauth2");
  return auth?.scheme === "oauth2" ? auth.scopes : [];
}

function outputSchema(tool: Tool) {
  return successEnvelope(errors).bare.outputSchema(tool.outputSchema());
}
