import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@toolpact/contract";
import { cast, type Sandbox } from "@toolpact/x-sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { effectiveConfig } from "../src/config/effective-config.ts";
import { configSchema } from "../src/config/schema.ts";
import { actionOf } from "../src/guards/call/tool-facts.ts";
import { recentCallsIn } from "../src/guards/stack/recent-calls-file.ts";
import { catalogFor } from "../src/server/catalog.ts";
import { createCore } from "../src/server/core.ts";
import { inMemory } from "../src/server/persistence.ts";
import { sandboxWorld } from "../src/x/sandbox-account.ts";
import { refusedByX } from "../src/x/toolkit/preflight.ts";
import type { Envelope } from "./live-server.ts";

let folder: string;
let file: string;
let now = 0;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "utility-write-"));
  file = join(folder, "tokens.json.calls");
  now = Date.UTC(2026, 10, 1);
});
afterEach(() => rm(folder, { recursive: true }));

const world = () => sandboxWorld("enterprise");

/** A server of the profile `utility-write`; several are processes that share the file. */
function serve({ account }: ReturnType<typeof world>, fetch = account.fetch) {
  const later: { ms: number; run: () => void }[] = [];
  const clock = {
    now: () => now,
    after: (ms: number, run: () => void) => {
      later.push({ ms, run });
      return () => {};
    },
  };
  const place = { env: {}, home: "/", cwd: "/" };
  const config = effectiveConfig(
    { values: configSchema.parse({}), file: undefined, fromEnvironment: [] },
    place,
  );
  const core = createCore({
    profile: "utility-write",
    catalog: catalogFor("utility-write"),
    config,
    account: { ...account, fetch },
    persistence: { ...inMemory(), recentCalls: recentCallsIn(file) },
    clock,
  });
  return {
    /** Lets every deadline pass. */
    passDeadlines() {
      for (const { run } of later) run();
    },
    async call(tool: string, args: JsonObject) {
      const answer = await core.pipeline.call({ tool, args, caller: { transport: "cli" } });
      if (answer.kind !== "rendered") throw new Error(answer.kind);
      // Every answer is the envelope; tests check what is in it.
      return answer.envelope as unknown as Envelope;
    },
  };
}

const sent = (sandbox: Sandbox, operation: string) => sandbox.journal.of(operation as "createLists");
const unknown = {
  code: "validation_error",
  reason: "outcome_unknown",
  retryable: false,
  fix_by: "agent",
  suggested_fix: expect.stringContaining("call again with a new idempotency_key"),
};

describe("after a lost answer", () => {
  const list = { name: "Bakers" };

  test.each(["the same process", "another process"])(
    "the same call is refused for 30 seconds in %s, and no longer",
    async (where) => {
      const here = world();
      const first = serve(here);
      here.sandbox.faults.add({ operation: "createLists", kind: "drop", when: "after" });
      expect(await first.call("x_v2_lists_create", list)).toMatchObject({
        error: {
          code: "x_network_error",
          fix_by: "agent",
          retry_after_ms: 30_000,
          suggested_fix: unknown.suggested_fix,
          details: { may_have_taken_effect: true },
        },
      });
      const second = where === "the same process" ? first : serve(here);
      now += 10_000;
      expect(await second.call("x_v2_lists_create", list)).toMatchObject({
        error: { ...unknown, details: { repeatable_at: new Date(now + 20_000).toISOString() } },
      });
      expect(sent(here.sandbox, "createLists")).toHaveLength(1);
      expect(await second.call("x_v2_lists_create", { name: "Millers" })).toMatchObject({ success: true });
      now += 20_000;
      expect(await second.call("x_v2_lists_create", list)).toMatchObject({ success: true });
    },
  );

  test("an agent that has read back sends it again at once with a new key, and with one key once a day", async () => {
    const here = world();
    const { call } = serve(here);
    const create = (idempotency_key: string) => call("x_v2_lists_create", { ...list, idempotency_key });
    here.sandbox.faults.add({ operation: "createLists", kind: "drop", when: "before" });
    expect(await create("first")).toMatchObject({ success: false });
    now += 3_600_000;
    expect(await create("first")).toMatchObject({ error: unknown });
    expect(await create("second")).toMatchObject({ success: true });
    now += 3_600_000;
    expect(await create("second")).toMatchObject({ error: { reason: "duplicate_request", fix_by: "agent" } });
    expect(sent(here.sandbox, "createLists")).toHaveLength(2);
  });

  test("a call that a deadline has cut off is refused, and sends nothing more", async () => {
    const here = world();
    let arrived = () => {};
    const hasArrived = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const silent = serve(here, (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      if (pathname !== "/2/lists") return here.account.fetch(input, init);
      arrived();
      return new Promise(() => {});
    });
    const cutOff = silent.call("x_v2_lists_create", list);
    await hasArrived;
    silent.passDeadlines();
    expect(await cutOff).toMatchObject({
      error: { code: "x_network_error", fix_by: "agent", details: { may_have_taken_effect: true } },
    });
    expect(await serve(here).call("x_v2_lists_create", list)).toMatchObject({ error: unknown });
  });

  test("a call whose process died is refused in the next", async () => {
    const here = world();
    let arrived = () => {};
    const hasArrived = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const dying = serve(here, (input, init) => {
      if (new URL(input instanceof Request ? input.url : input).pathname !== "/2/lists")
        return here.account.fetch(input, init);
      arrived();
      return new Promise(() => {});
    });
    void dying.call("x_v2_lists_create", list);
    await hasArrived;
    expect(await serve(here).call("x_v2_lists_create", list)).toMatchObject({ error: unknown });
    expect(sent(here.sandbox, "createLists")).toEqual([]);
  });

  test("a thread that was cut is not begun again, and is continued with its handle", async () => {
    const here = world();
    const { call } = serve(here);
    const tweets = ["One.", "Two.", "Three."];
    here.sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 2 });
    const { error } = await call("x_post_thread", { tweets });
    expect(error).toMatchObject({ code: "thread_partial_failure" });
    here.sandbox.faults.clear();
    expect(await call("x_post_thread", { tweets })).toMatchObject({ error: { code: "validation_error" } });
    const resume = String(error?.details?.resume);
    expect(await call("x_post_thread", { tweets, resume })).toMatchObject({ success: true });
  });
});

test("every tool can be called after any other, whatever its deadline", async () => {
  const here = world();
  const { call } = serve(here);
  await call("x_v2_blocks_create", { target_user_id: here.sandbox.person(cast.stranger).id });
  expect(await call("x_v2_lists_create", { name: "Bakers" })).toMatchObject({ success: true });
});

test("like, unlike, like within 30 seconds is done each time", async () => {
  const here = world();
  const { call } = serve(here);
  const tweet_id = here.sandbox.say(cast.friend, "Like this.").id;
  for (const tool of ["x_like_tweet", "x_unlike_tweet", "x_like_tweet"])
    expect(await call(tool, { tweet_id })).toMatchObject({ success: true });
  expect(await call("x_like_tweet", { tweet_id })).toMatchObject({ error: { reason: "duplicate_request" } });
});

test("what X refused can be called again at once, and leaves nothing behind", async () => {
  const here = world();
  const { call } = serve(here);
  here.sandbox.faults.add({ operation: "createLists", kind: "error", status: 403 });
  expect(await call("x_v2_lists_create", { name: "Bakers" })).toMatchObject({
    error: { code: "x_forbidden" },
  });
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ calls: [] });
  expect(await call("x_v2_lists_create", { name: "Bakers" })).toMatchObject({ success: true });
});

test("of 16 equal calls at once in two processes one is sent", async () => {
  const here = world();
  const servers = [serve(here), serve(here)] as const;
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, at) =>
      (servers[at % 2] ?? servers[0]).call("x_v2_lists_create", { name: "Bakers" }),
    ),
  );
  expect(answers.filter(({ success }) => success)).toHaveLength(1);
  expect(sent(here.sandbox, "createLists")).toHaveLength(1);
});

test("nothing is sent that cannot be written down", async () => {
  const here = world();
  await writeFile(join(folder, "a file"), "");
  file = join(folder, "a file", "tokens.json.calls");
  expect(await serve(here).call("x_v2_lists_create", { name: "Bakers" })).toMatchObject({
    error: { code: "validation_error", retryable: false, fix_by: "operator" },
  });
  expect(sent(here.sandbox, "createLists")).toEqual([]);
});

test.each(['{"calls":[{"key":"k","sta', "", "[]", '{"calls":{}}', '{"calls":[null]}'])(
  "with a damaged file of recent calls (%j) nothing is sent, and the answer names the file",
  async (damaged) => {
    const here = world();
    await writeFile(file, damaged);
    const answer = await serve(here).call("x_v2_lists_create", { name: "Bakers" });
    expect(answer).toMatchObject({ success: false });
    expect(JSON.stringify(answer.error)).toContain(file);
    expect(JSON.stringify(answer.error)).toContain("is damaged");
    expect(sent(here.sandbox, "createLists")).toEqual([]);
    expect(await readFile(file, "utf8")).toBe(damaged);
  },
);

describe("on a plan that does not include it", () => {
  const selfServe = { plan: "self_serve", isPremium: false } as const;
  const argsFor: Readonly<Record<string, (sandbox: Sandbox) => JsonObject>> = {
    x_like_tweet: (sandbox) => ({ tweet_id: sandbox.say(cast.friend, "Like this.").id }),
    x_follow_user: (sandbox) => ({ target_user_id: sandbox.person(cast.stranger).id }),
    x_quote_tweet: (sandbox) => ({
      text: "Read this.",
      quoted_tweet_id: sandbox.say(cast.friend, "A story.").id,
    }),
    x_post_tweet: () => ({ text: "$AAPL or $TSLA?" }),
    x_post_thread: () => ({ tweets: ["Which?", "$AAPL or $TSLA?"] }),
  };

  test("every tool that `write` refuses is tried here", () => {
    const refused = catalogFor("utility-write").tools.filter(({ facts }) => {
      const action = actionOf(facts);
      return action && refusedByX(action, selfServe)?.failure.reason === "unavailable_on_plan";
    });
    expect(Object.keys(argsFor)).toEqual(expect.arrayContaining(refused.map(({ name }) => name)));
  });

  test.each(Object.entries(argsFor))("%s is sent, and the answer is X's own", async (tool, args) => {
    const here = sandboxWorld("self_serve", { isPremium: false });
    const changes = () =>
      here.sandbox.journal.entries.filter(({ method }) => method === "POST" || method === "PUT");
    const { error } = await serve(here).call(tool, args(here.sandbox));
    expect(changes().at(-1), JSON.stringify(error)).toMatchObject({ status: 403 });
    expect(JSON.stringify(error)).toContain("X said");
  });
});
