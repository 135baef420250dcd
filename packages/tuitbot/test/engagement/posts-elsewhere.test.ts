import { cast } from "@toolpact/x-sandbox";
import { expect, test } from "vitest";
import { MAX_OWN_POSTS, recordOwnPosts } from "../../src/analytics/elsewhere.ts";
import { performanceReport } from "../../src/app/performance.ts";
import { openDesk } from "./desk.ts";
import { pass } from "./passes.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const signal = new AbortController().signal;

async function deskWithHistory() {
  const desk = await openDesk();
  const { sandbox, services } = desk;
  const shown = async () => (await performanceReport(services, 30)).posts;
  const { client } = services.x;
  const readOwn = () => {
    const context = { ...services.db, client, workflow: services.workflow, config: desk.config, signal };
    return recordOwnPosts({ ...context, now: sandbox.clock.now() }, MAX_OWN_POSTS);
  };
  // The posts that the sandbox's owner has from the beginning.
  await readOwn();
  const before = new Set((await shown()).map(({ id }) => id));
  const added = async () => (await shown()).filter(({ id }) => !before.has(id));
  return { ...desk, readOwn, added };
}

test("posts that were made outside tuitbot count once, with their kind, and a thread as one", async () => {
  const { sandbox, call, readOwn, added, close } = await deskWithHistory();
  const head = sandbox.say(cast.owner, "Part one, from the phone");
  sandbox.say(cast.owner, "Part two", { inReplyTo: head.id });
  const theirs = sandbox.say(cast.friend, "Does anybody bake?");
  sandbox.say(cast.owner, "I do", { inReplyTo: theirs.id });
  sandbox.say(cast.owner, "Well said", { quoting: theirs.id });
  await call("x_post_tweet", { text: "From tuitbot" });
  sandbox.clock.advance(HOUR);
  sandbox.say(cast.owner, "A moment ago");
  expect(await readOwn()).toEqual({ ok: true, value: 4 });
  expect(await readOwn()).toEqual({ ok: true, value: 0 });
  const byText = new Map((await added()).map((post) => [post.text.replace(/^@\S+ /, ""), post]));
  expect([...byText.keys()].toSorted()).toEqual([
    "From tuitbot",
    "I do",
    "Part one, from the phone",
    expect.stringMatching(/^Well said/),
  ]);
  expect(byText.get("From tuitbot")).toMatchObject({ kind: "tweet", is_elsewhere: false });
  expect(byText.get("Part one, from the phone")).toMatchObject({
    kind: "thread",
    posts: 2,
    is_elsewhere: true,
    figures: null,
  });
  expect(byText.get("I do")).toMatchObject({ kind: "reply", is_elsewhere: true });
  expect([...byText.values()].filter(({ kind }) => kind === "quote")).toHaveLength(1);
  sandbox.clock.advance(2 * DAY);
  await call("refresh_analytics");
  expect((await added()).filter(({ figures }) => figures === null)).toEqual([]);
  await close();
});

test("automation reads own posts at most once a day, and only if X counts more than tuitbot made", async () => {
  const desk = await deskWithHistory();
  const { sandbox, call, added, close } = desk;
  const reads = () => sandbox.journal.entries.filter(({ operation }) => operation === "getUsersPosts").length;
  const before = reads();
  await pass(desk, "analytics");
  await call("x_post_tweet", { text: "From tuitbot" });
  sandbox.clock.advance(DAY + HOUR);
  await pass(desk, "analytics");
  expect(reads()).toBe(before);
  sandbox.say(cast.owner, "From the phone");
  sandbox.clock.advance(HOUR);
  await pass(desk, "analytics");
  expect(reads()).toBe(before);
  sandbox.clock.advance(DAY);
  expect(await pass(desk, "analytics")).toMatchObject({ analytics: { counts: { made_elsewhere: 1 } } });
  expect((await added()).map(({ text }) => text)).toEqual(["From the phone", "From tuitbot"]);
  sandbox.clock.advance(2 * DAY);
  await pass(desk, "analytics");
  expect(reads()).toBe(before + 1);
  await close();
});
