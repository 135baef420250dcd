import { systemClock } from "@toolpact/contract";
import { cast, type FaultRequest, Sandbox } from "@toolpact/x-sandbox";
import fc from "fast-check";
import { expect, it } from "vitest";
import { sandboxX } from "../../../test/sandbox-x.ts";
import { postThread, type ThreadSetting } from "./thread.ts";
import { type Part, resumeHandle } from "./thread-resume.ts";

const size = { people: 8, posts: 20 };

function settingFor(sandbox: Sandbox): ThreadSetting {
  return {
    signal: new AbortController().signal,
    progress: () => {},
    clock: { now: () => sandbox.clock.now(), after: systemClock.after },
    stopAfterMs: 60_000,
  };
}

function partsOf(...texts: readonly string[]): Part[] {
  return texts.map((text) => ({ text, mediaIds: [] }));
}

/** The owner's chain of replies, from the root down. */
function chainFrom(sandbox: Sandbox, root: string): string[] {
  const owner = sandbox.person("sandbox_owner");
  const texts: string[] = [];
  for (let id: string | undefined = root; id !== undefined; ) {
    const parent: string = id;
    texts.push(sandbox.world.posts.get(parent)?.text ?? "");
    const replies = [...sandbox.world.posts.values()].filter(
      (post) => post.authorId === owner.id && post.replyTo?.postId === parent,
    );
    expect(replies.length, "one post answers each").toBeLessThanOrEqual(1);
    id = replies[0]?.id;
  }
  return texts;
}

it("posts each text exactly once, wherever and however often it is cut", async () => {
  const trouble: fc.Arbitrary<FaultRequest> = fc.record({
    kind: fc.constantFrom("drop", "reset", "error", "html", "rate_limited", "unauthorized"),
    when: fc.constantFrom("before", "after"),
    at: fc.integer({ min: 1, max: 6 }),
    operation: fc.constantFrom("createPosts", "createPosts", "createPosts", "getUsersPosts"),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.array(trouble, { maxLength: 5 }),
      fc.boolean(),
      async (count, troubles, hasLinks) => {
        const sandbox = new Sandbox({ seed: 3, size });
        const x = sandboxX(sandbox);
        const parts = partsOf(
          ...Array.from({ length: count }, (_, i) =>
            hasLinks ? `Part ${i} & more: https://example.com/${i}` : `Part ${i} <here>`,
          ),
        );
        for (const wish of troubles) sandbox.faults.add(wish);

        let resume: string | undefined;
        let isDone = false;
        for (let round = 0; round < 40 && !isDone; round++) {
          const outcome = await postThread(x, parts, resume, settingFor(sandbox));
          if (outcome.ok) {
            expect(chainFrom(sandbox, outcome.value.root_tweet_id)).toHaveLength(count);
            expect(outcome.value.thread_tweet_ids).toHaveLength(count);
            isDone = true;
            continue;
          }
          const handle = outcome.failure.details?.resume;
          expect(outcome.failure.code === "thread_partial_failure").toBe(handle !== undefined);
          if (typeof handle === "string") resume = handle;
          sandbox.clock.advance(60_000);
        }
        expect(isDone).toBe(true);
        const written = sandbox.dump().posts.filter(({ text }) => text.startsWith("Part "));
        expect(written).toHaveLength(count);
      },
    ),
    { numRuns: 150 },
  );
});

it("checks every text before the first is sent", async () => {
  const sandbox = new Sandbox({ size });
  const cases: readonly (readonly [readonly string[], string, number])[] = [
    [["fine", "x".repeat(281)], "tweet_too_long", 1],
    [["fine", "also fine", "  "], "invalid_input", 2],
    [["fine", "$ONE and $TWO"], "x_forbidden", 1],
    [["fine", "other", "fine "], "invalid_input", 2],
  ];
  for (const [texts, code, index] of cases) {
    const outcome = await postThread(sandboxX(sandbox), partsOf(...texts), undefined, settingFor(sandbox));
    expect(outcome).toMatchObject({ ok: false, failure: { code, details: { tweet_index: index } } });
  }
  expect(sandbox.journal.entries).toEqual([]);
});

it("a cut thread reports its published posts and the reason", async () => {
  const sandbox = new Sandbox({ size });
  sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 2 });
  const outcome = await postThread(
    sandboxX(sandbox),
    partsOf("one", "two", "three"),
    undefined,
    settingFor(sandbox),
  );
  expect(outcome).toMatchObject({
    ok: false,
    failure: {
      code: "thread_partial_failure",
      message: "1 of 3 posts are out. Then: X's rate limit for this operation is used up.",
      retryAfterMs: 900_000,
      details: {
        posted_tweet_ids: [expect.stringMatching(/^\d{19}$/)],
        failed_at_index: 1,
        resume: expect.stringMatching(/^thread_/),
        cause: { code: "x_rate_limited", reason: "window" },
      },
    },
  });
});

it("fails plainly when nothing went out", async () => {
  const sandbox = new Sandbox({ size });
  sandbox.faults.add({ operation: "createPosts", kind: "rate_limited" });
  const outcome = await postThread(sandboxX(sandbox), partsOf("one", "two"), undefined, settingFor(sandbox));
  expect(outcome).toMatchObject({ ok: false, failure: { code: "x_rate_limited" } });
});

it("lets the texts change that are not out, and no others", async () => {
  const sandbox = new Sandbox({ size });
  const x = sandboxX(sandbox);
  const setting = settingFor(sandbox);
  sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 2 });
  const first = await postThread(x, partsOf("one", "two", "three"), undefined, setting);
  const resume = first.ok ? "" : String(first.failure.details?.resume);

  const refused = await postThread(x, partsOf("ONE", "two", "three"), resume, setting);
  expect(refused).toMatchObject({ ok: false, failure: { code: "invalid_input" } });
  expect(await postThread(x, [], resume, setting)).toMatchObject({ failure: { code: "invalid_input" } });

  const done = await postThread(x, partsOf("one", "zwei", "three"), resume, setting);
  if (!done.ok) throw new Error(done.failure.message);
  expect(chainFrom(sandbox, done.value.root_tweet_id)).toEqual(["one", "zwei", "three"]);
});

it("a thread resumes only with a handle issued for the same account", async () => {
  const sandbox = new Sandbox({ size });
  const parts = partsOf("one", "two");
  const setting = settingFor(sandbox);
  sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 2 });
  const first = await postThread(sandboxX(sandbox), parts, undefined, setting);
  const resume = first.ok ? "" : String(first.failure.details?.resume);
  for (const handle of ["", "thread_", "thread_e30", "nonsense", `${resume}x`.slice(3)])
    expect(await postThread(sandboxX(sandbox), parts, handle, setting)).toMatchObject({
      failure: { code: "invalid_input" },
    });
  const other = await postThread(sandboxX(sandbox, { user: "sandbox_friend" }), parts, resume, setting);
  expect(other).toMatchObject({ failure: { code: "not_found", fixBy: "operator" } });
});

it("a forged handle cannot be used to reply to a stranger", async () => {
  const sandbox = new Sandbox({ size });
  const setting = settingFor(sandbox);
  const parts = partsOf("an opener", "Buy my thing");
  const stranger = sandbox.say(cast.stranger, "Nobody asked").id;
  const by = sandbox.person("sandbox_owner").id;
  const state = { by, begun: sandbox.clock.now(), posted: [stranger], isNextUncertain: false };
  const forged = resumeHandle(new Uint8Array(32), state, parts);
  for (const handle of [forged, forged.replace(/\..*/, ""), forged.replace(/\..*/, ".")])
    expect(await postThread(sandboxX(sandbox), parts, handle, setting)).toMatchObject({
      failure: { code: "invalid_input" },
    });
  expect(sandbox.journal.entries).toEqual([]);
});

it("a thread reports an unusable handle key and sends nothing", async () => {
  const sandbox = new Sandbox({ size });
  const x = { ...sandboxX(sandbox), handleKey: () => Promise.reject(new Error("is not a key")) };
  expect(await postThread(x, partsOf("one", "two"), undefined, settingFor(sandbox))).toMatchObject({
    failure: { code: "invalid_input", fixBy: "operator" },
  });
  expect(sandbox.journal.entries).toEqual([]);
});

it("a handle that is used repeatedly adds one tail", async () => {
  const sandbox = new Sandbox({ size });
  const x = sandboxX(sandbox);
  const setting = settingFor(sandbox);
  sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 2 });
  const cut = await postThread(x, partsOf("one", "two", "three"), undefined, setting);
  const resume = cut.ok ? "" : String(cut.failure.details?.resume);
  const done = await postThread(x, partsOf("one", "two", "three"), resume, setting);
  expect(done.ok).toBe(true);
  expect(await postThread(x, partsOf("one", "two", "three"), resume, setting)).toEqual(done);
  for (const tail of [
    ["zwei", "drei"],
    ["two", "drei"],
  ])
    expect(await postThread(x, partsOf("one", ...tail), resume, setting)).toMatchObject({
      failure: { code: "invalid_input", details: { continued_by_tweet_id: expect.any(String) } },
    });
  if (done.ok) expect(chainFrom(sandbox, done.value.root_tweet_id)).toEqual(["one", "two", "three"]);
});

it("a handle that is used concurrently adds one tail", async () => {
  const sandbox = new Sandbox({ size });
  const x = sandboxX(sandbox);
  const setting = settingFor(sandbox);
  sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 2 });
  const cut = await postThread(x, partsOf("one", "two"), undefined, setting);
  const resume = cut.ok ? "" : String(cut.failure.details?.resume);
  const answers = await Promise.all(
    ["two", "zwei"].map((text) => postThread(x, partsOf("one", text), resume, setting)),
  );
  expect(answers.filter(({ ok }) => !ok)).toMatchObject([
    { failure: { code: "invalid_input", message: expect.stringContaining("right now") } },
  ]);
  const [done] = answers.filter(({ ok }) => ok);
  if (done?.ok) expect(chainFrom(sandbox, done.value.root_tweet_id)).toHaveLength(2);
  expect(await postThread(x, partsOf("one", "two"), resume, setting)).toEqual(answers[0]);
});

it("stops by itself before its time is up, and can go on", async () => {
  const sandbox = new Sandbox({ size });
  const x = sandboxX(sandbox);
  const parts = partsOf("one", "two");
  let ringAlarm = () => {};
  const setting: ThreadSetting = {
    ...settingFor(sandbox),
    clock: {
      now: () => sandbox.clock.now(),
      after: (_ms, ring) => {
        ringAlarm = ring;
        return () => {};
      },
    },
    progress: () => ringAlarm(),
  };
  const late = await postThread(x, parts, undefined, setting);
  expect(late).toMatchObject({
    failure: {
      code: "thread_partial_failure",
      details: { failed_at_index: 1, cause: { reason: "aborted" } },
    },
  });
  const resume = late.ok ? "" : String(late.failure.details?.resume);
  expect(await postThread(x, parts, resume, settingFor(sandbox))).toMatchObject({ ok: true });
});
