import { successEnvelope } from "@toolpact/contract/internal";
import { type OperationId, operations } from "@toolpact/x-api";
import type { JournalEntry } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { type ErrorCode, errors } from "../src/errors.ts";
import { refusesRepeats, type TuitbotTool } from "../src/guards/call/tool-facts.ts";
import { isWorkflowProfile, type Profile } from "../src/profiles.ts";
import { profileManifest } from "../src/server/manifest.ts";
import { allTools } from "../src/tools/all-tools.ts";
import { breakDatabase } from "./broken-database.ts";
import {
  eachOperation,
  isChange,
  isClosed,
  isOfApp,
  operationsFor,
  primaryOperation,
  scopesOf,
} from "./calls/operations.ts";
import { troubles } from "./calls/troubles.ts";
import { isUnseen } from "./calls/unseen-codes.ts";
import { queuedItem } from "./live-server.ts";
import { type Answer, type LiveStage, openStage } from "./live-stage.ts";
import {
  codesIn,
  codesOf,
  nobodySignedIn,
  refusedAtStart,
  signInTroubles,
  workflowSituations,
} from "./situations.ts";
import { toolCalls } from "./tool-calls.ts";
import { type WatchedCalls, watchedCalls } from "./watched-calls.ts";

/** Codes with which guards have answered for a tool in some situation of `write` and `admin`, as `tool code`. */
const answeredByGuards = new Set<string>();

/** Guards answer before the tool runs, and those of `write` are those of `admin`, which has every tool. */
export function guardsAnswer(): void {
  const manifest = profileManifest("admin");

  it.each(workflowSituations(allTools))(
    "answer for every tool when $what",
    async (situation) => {
      const codes = await codesIn(situation, "admin", allTools);
      note(codes);
      expect(codes.map(({ code }) => code)).toContain(situation.code);
    },
    60_000,
  );

  it("queue what a person has to approve, and answer the same from every tool", async () => {
    const stage = await openStage("admin", () => ({ TUITBOT_MODE: "composer" }));
    const changes = () =>
      stage.sandbox.journal.entries.filter(
        ({ method, path }) => method !== "GET" && !path.includes("oauth2"),
      );
    const queuing = allTools.filter(
      (tool) => isChange(tool) && !isClosed(tool) && (!tool.facts.isLocal || tool.name === "publish_draft"),
    );
    expect(queuing.length).toBeGreaterThan(30);
    const ids = new Set<unknown>();
    for (const { name } of queuing) {
      const args = await toolCalls[name]?.args(stage);
      const before = changes().length;
      const answer = await stage.call(name, args ?? {});
      expect(answer, `${name} ${JSON.stringify(answer)}`).toMatchObject({
        success: true,
        data: {
          status: "queued",
          policy_decision: "routed_to_approval",
          approval_queue_id: expect.any(Number),
          message: expect.stringMatching(/waits for a person as item \d+\. Nothing was sent yet\.$/),
          next_step: expect.stringContaining("Do not call again"),
          reason: expect.any(String),
          matched_rule_id: expect.stringMatching(/^hard:/),
          expires_at: expect.any(String),
        },
        meta: { policy_decision: "routed_to_approval" },
      });
      expect(Object.keys(Object(answer.data))[0], name).toBe("status");
      ids.add(queuedItem(answer));
      expect(changes(), name).toHaveLength(before);
    }
    expect(ids.size).toBe(queuing.length);
    await stage.close();
  }, 60_000);

  it("answer for every tool when X fails the question who is signed in", async () => {
    const stage = await openStage("admin", undefined, [refusedAtStart]);
    for (const trouble of signInTroubles) {
      stage.sandbox.faults.add({ operation: "getUsersMe", count: 1_000, ...trouble });
      note(await codesOf(stage, allTools));
      stage.sandbox.faults.clear();
    }
    await stage.close();
  }, 60_000);

  function note(codes: Awaited<ReturnType<typeof codesOf>>): void {
    for (const { tool, code } of codes) {
      const { possible_error_codes = [] } = manifest.tools.find(({ name }) => name === tool) ?? {};
      expect([...possible_error_codes, ...manifest.common_error_codes], `${tool}: ${code}`).toContain(code);
      answeredByGuards.add(`${tool} ${code}`);
    }
  }
}

/**
 * Every tool of a profile, called by a real client in a real server process with the sandbox as its X: every
 * failure it declares, then its success, then its repetition. What X saw is read from the sandbox's journal; how each
 * tool is called is in `calls/`.
 */
export function everyTool(profile: Profile): void {
  const tools = allTools.filter((tool) => tool.profiles.includes(profile));
  const askingX = tools.filter((tool) => primaryOperation(tool) !== undefined);
  let stage: LiveStage;
  let calls: WatchedCalls;
  /** Tools and codes that did not come because reading back showed what was wanted. */
  const foundDone = new Set<string>();
  const seen = new Set<string>();

  beforeAll(async () => {
    stage = await openStage(profile, () => ({ NODE_OPTIONS: `--import ${HELD_CLOCK}` }));
    calls = watchedCalls(profile, stage);
    // The signed-in user is looked up once; faults planned later then hit the tool's own operation.
    await stage.call("x_get_home_timeline", {});
  });

  afterAll(() => stage?.close());

  const journal = () => stage.sandbox.journal.entries;

  it("lists the tools that the manifest announces, and this suite knows how to call each", () => {
    expect(stage.listed).toEqual(profileManifest(profile).tools.map(({ name }) => name));
    expect(stage.listed).toEqual(tools.map(({ name }) => name).sort());
    expect(stage.listed.filter((name) => toolCalls[name] === undefined)).toEqual([]);
  });

  it("refuses arguments that a tool does not have, without asking X", async () => {
    for (const tool of tools) {
      const args = await calls.argsOf(tool);
      const before = journal().length;
      const { error } = await calls.call(tool, { ...args, surprise: true });
      expect([tool.name, error?.code]).toEqual([tool.name, "invalid_input"]);
      expect(error?.message).toContain("`surprise`");
      expect(journal(), tool.name).toHaveLength(before);
    }
  });

  it("fails in each tool's own ways", async () => {
    for (const tool of tools) {
      for (const failure of toolCalls[tool.name]?.failures ?? []) {
        const args = await failure.args(stage);
        const asked = () =>
          journal().filter(
            ({ operation }) =>
              operationsFor(tool).some((own) => own === operation) ||
              // A call about something that X does not have ends with the read for the person.
              failure.code === "not_found" ||
              !READ_FOR_PERSON.includes(operation ?? ""),
          ).length;
        const before = asked();
        if (failure.fault !== undefined) stage.sandbox.faults.add(failure.fault);
        const { error } = await calls.call(tool, args);
        const context = `${tool.name} with ${failure.what}: ${JSON.stringify(error)}`;
        expect(error?.code, context).toBe(failure.code);
        if (failure.reason !== undefined) expect(error?.reason, context).toBe(failure.reason);
        expect(asked() > before, context).toBe(failure.asksX);
      }
    }
  });

  it("turns every trouble of X's into the code it stands for", async () => {
    // Faults go by operation, so tools of different operations can meet theirs at the same time; but what changes
    // something may read back or look at others' posts, and must meet no trouble but its own.
    await eachOperation(
      askingX.filter((tool) => !isChange(tool)),
      meetTroubles,
    );
    for (const tool of askingX.filter(isChange)) await eachOperation([tool], meetTroubles);
  }, 60_000);

  async function meetTroubles(tool: TuitbotTool, operation: OperationId): Promise<void> {
    for (const { fault, code, reason, isAnswerLost } of troubles(tool, operation)) {
      const { faults } = stage.sandbox;
      faults.add({ operation, ...fault });
      const { error } = await calls.call(tool, await calls.freshArgsOf(tool));
      const isMet = faults.planned.every((left) => left.operation !== operation);
      expect(isMet, `${tool.name} has met all of ${JSON.stringify(fault)}`).toBe(true);
      // If calls are remembered, a change with a lost answer is looked up at X.
      if (error === undefined && isAnswerLost && isWorkflowProfile(profile) && isChange(tool)) {
        foundDone.add(`${tool.name} ${code}`);
        continue;
      }
      const context = `${tool.name} under ${fault.kind} ${fault.status ?? ""}: ${JSON.stringify(error)}`;
      expect(error?.code, context).toBe(code);
      if (reason !== undefined) expect(error?.reason, context).toBe(reason);
      if (code === "x_rate_limited") {
        expect(error?.retry_after_ms, context).toBeGreaterThan(0);
        expect(error?.rate_limit_reset, context).toMatch(/Z$/);
      }
    }
  }

  it("says what stands behind a refusal of X's", async () => {
    const { sandbox } = stage;
    const owner = sandbox.person("sandbox_owner");
    sandbox.app.enrolled = false;
    await refusedEverywhere(() => true, "x_forbidden", "not_enrolled");
    sandbox.app.enrolled = true;

    owner.accountStatus = "suspended";
    await refusedEverywhere((id) => !isOfApp(id), "x_account_restricted", "suspended");
    owner.accountStatus = "active";

    const { balanceUsd, monthlyPostCap } = sandbox.ledger;
    sandbox.ledger.balanceUsd = 0;
    await refusedEverywhere((id) => operations[id].price !== undefined, "x_forbidden", "credits_depleted");
    sandbox.ledger.balanceUsd = balanceUsd;

    sandbox.ledger.monthlyPostCap = 0;
    await refusedEverywhere((id) => operations[id].price === "posts_read", "x_forbidden", "usage_capped");
    sandbox.ledger.monthlyPostCap = monthlyPostCap;

    stage.signIn(["offline.access"]);
    const isScoped = (id: OperationId) => scopesOf(id).length > 0;
    const refused = await refusedEverywhere(isScoped, "x_forbidden", "missing_scope");
    for (const { tool, operation, error } of refused) {
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
    await eachOperation(askingX, async (tool, operation) => {
      if (!which(operation) || TELLS_TROUBLE_AS_DATA.has(tool.name)) return;
      const { error } = await calls.call(tool, await calls.freshArgsOf(tool));
      expect([tool.name, error?.code, error?.reason]).toEqual([tool.name, code, reason]);
      answers.push({ tool: tool.name, operation, error });
    });
    return answers;
  }

  it("does what it says, and asks X for nothing else", async () => {
    // Past every window of X's limits that the failures before have used.
    stage.sandbox.clock.advance(16 * 60_000);
    stage.forgetCalls();
    for (const tool of tools) {
      if (isClosed(tool)) continue;
      const args = await calls.argsOf(tool);
      const before = journal().length;
      const answer = await calls.call(tool, args);
      expect(answer.success, `${tool.name}: ${JSON.stringify(answer.error)}`).toBe(true);
      const fits = z.fromJSONSchema(outputSchema(tool)).safeParse(answer);
      expect(fits.error?.issues ?? [], `${tool.name} ${JSON.stringify(answer.data)}`).toEqual([]);
      checkRequests(tool, journal().slice(before));

      if (!isRefusedAgain(tool, profile)) continue;
      const after = journal().length;
      const { error } = await calls.call(tool, args);
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
    const prepared = [];
    for (const { name, possible_error_codes } of profileManifest(profile).tools) {
      const tool = tools.find((candidate) => candidate.name === name);
      if (tool !== undefined && !isClosed(tool) && possible_error_codes.includes("db_error"))
        prepared.push({ tool, args: await calls.argsOf(tool) });
    }
    const repair = breakDatabase(stage.database);
    for (const { tool, args } of prepared) {
      const { error } = await calls.call(tool, args);
      expect([tool.name, error?.code]).toEqual([tool.name, WITHOUT_DATABASE[tool.name] ?? "db_error"]);
    }
    repair();
    expect((await stage.call("get_pending_count", {})).success).toBe(true);
  });

  it("says so when nobody is signed in", async () => {
    const codes = await codesIn(nobodySignedIn, profile, tools);
    for (const { tool, code } of codes) seen.add(`${tool} ${code}`);
    const saying = codes.flatMap(({ tool, code }) => (code === "x_not_configured" ? [tool] : []));
    const declaring = profileManifest(profile).tools.filter(({ possible_error_codes }) =>
      possible_error_codes.includes("x_not_configured"),
    );
    expect(saying.sort()).toEqual(declaring.map(({ name }) => name));
  });

  it.runIf(isWorkflowProfile(profile))("refuses a key that belongs to another call", async () => {
    const tool = tools.find(({ name }) => name === "x_upload_media") ?? expect.fail();
    const args = { ...(await calls.argsOf(tool)), idempotency_key: "one upload" };
    const uploaded = await calls.call(tool, args);
    expect(uploaded.success, JSON.stringify(uploaded)).toBe(true);
    expect(await calls.call(tool, { ...args, alt_text: "Another cat" })).toMatchObject({
      error: { code: "validation_error", reason: "idempotency_key_reused" },
    });
  });

  it("has failed in every way that the manifest declares", () => {
    const unseen = profileManifest(profile).tools.flatMap(({ name, possible_error_codes }) => {
      const left = possible_error_codes.filter((code) => !hasSeen(name, code));
      return left.length === 0 ? [] : [`${name}: ${left.join(", ")}`];
    });
    expect(unseen).toEqual([]);
  });

  function hasSeen(name: string, code: string): boolean {
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool === undefined) return false;
    return (
      calls.hasSeen(tool, code) ||
      seen.has(`${name} ${code}`) ||
      foundDone.has(`${name} ${code}`) ||
      (isWorkflowProfile(profile) && answeredByGuards.has(`${name} ${code}`)) ||
      isUnseen(tool, code)
    );
  }
}

/** A server looks by the clock for what got no answer, and would meet the troubles that are meant for a call. */
const HELD_CLOCK = new URL("held-clock.ts", import.meta.url).href;

const TELLS_TROUBLE_AS_DATA: ReadonlySet<string> = new Set(["health_check", "get_capabilities"]);

/** The answers of tools that have a specific code for an unreadable database. */
const WITHOUT_DATABASE: Readonly<Record<string, ErrorCode>> = {
  get_author_context: "context_error",
  recommend_engagement_action: "recommendation_error",
  topic_performance_snapshot: "topic_error",
};

function outputSchema(tool: TuitbotTool) {
  return successEnvelope(errors).outputSchema(tool.outputSchema() ?? {});
}

function isRefusedAgain(tool: TuitbotTool, profile: Profile): boolean {
  return !(isWorkflowProfile(profile) && tool.facts.isLocal) && refusesRepeats(tool);
}

/** A tool that succeeded has asked X for what it declares, and changed something only if it says so. */
function checkRequests(tool: TuitbotTool, requests: readonly JournalEntry[]): void {
  if (CALLS_ANOTHER_TOOL.has(tool.name)) return;
  const own = operationsFor(tool);
  const called = requests.map(({ operation }) => operation);
  const strange = called.filter((id) => ![...own, ...ASKED_BESIDE].some((known) => known === id));
  expect([tool.name, strange]).toEqual([tool.name, []]);
  // X carries out nothing that it answers with 401.
  const changes = requests.filter(
    ({ method, path, status }) => method !== "GET" && !path.startsWith("/2/oauth2") && status !== 401,
  );
  if (!isChange(tool) || !tool.needs.includes("x")) expect([tool.name, changes]).toEqual([tool.name, []]);
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
}

const CALLS_ANOTHER_TOOL: ReadonlySet<string> = new Set([
  "approve_item",
  "approve_all",
  "make_calls",
  "propose_and_queue_replies",
  "publish_draft",
  "undo_last",
]);

/** Reads that show a waiting call to its approver. */
const READ_FOR_PERSON: readonly string[] = ["getPostsById", "getUsersByIds"];

/** Lookups of the signed-in user and of @names. */
const ASKED_BESIDE = ["getUsersMe", "getUsersByUsername", "oauth2.token", ...READ_FOR_PERSON];
