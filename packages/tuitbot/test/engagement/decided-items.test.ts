import { cast } from "@toolpact/x-sandbox";
import { afterEach, expect, test } from "vitest";
import { approvalsFor } from "../../src/app/approvals.ts";
import { agent, type Desk, openDesk } from "./desk.ts";

let desk: Desk;
afterEach(() => desk?.close());

const open = () =>
  openDesk({ config: { approval_mode: true, business: { product_keywords: ["sourdough"] } } });
const owner = () =>
  approvalsFor(desk.services, {
    by: "person via cli",
    mayDecide: async () => true,
    signal: new AbortController().signal,
  });
async function item(id: number) {
  const found = await owner().find(id);
  return found.ok ? found.value : expect.fail(found.failure.message);
}
async function queued(tool: string, args: object): Promise<number> {
  desk.sandbox.clock.advance(1_000);
  const { data } = await desk.call(tool, { ...args });
  return Number(Object(data).approval_queue_id);
}
async function decided() {
  const { data } = await desk.call("list_pending_approvals");
  return (data as { decided: Record<string, unknown>[] }).decided;
}
async function mutations(args: object = {}) {
  const { data } = await desk.call("get_recent_mutations", { ...args });
  return (data as { mutations: { tool_name: string; status: string; result: unknown }[] }).mutations;
}

test("an approved post is reported with its id, address and the person's text, in both places", async () => {
  desk = await open();
  const id = await queued("x_post_tweet", { text: "Rye is cheap today." });
  const edited = await owner().edit(await item(id), { text: "Rye is out of the oven." });
  expect(edited.ok && (await owner().approve(edited.value)).ok).toBe(true);
  const { meta } = await desk.call("get_pending_count");
  const decision = {
    status: "executed",
    params: { text: "Rye is out of the oven." },
    edited_to: "Rye is out of the oven.",
    result: { id: expect.stringMatching(/^\d+$/), url: expect.stringContaining("https://x.com/") },
  };
  expect(meta?.decisions).toEqual([{ approval_queue_id: id, tool: "x_post_tweet", ...decision }]);
  expect(await decided()).toMatchObject([{ id, action_type: "x_post_tweet", ...decision }]);
});

test("items that a composite tool queued are announced like any other", async () => {
  desk = await open();
  const posts = ["My sourdough is flat", "Sourdough again, and no holes in it at all"].map((text) =>
    desk.sandbox.say(cast.friend, text),
  );
  desk.sandbox.clock.advance(30_000);
  await desk.call("find_reply_opportunities", { query: "sourdough", min_score: 0 });
  const texts = ["Give it another hour in a warm place.", "A hotter stone makes larger holes."];
  const { data } = await desk.call("propose_and_queue_replies", {
    items: posts.map(({ id }, at) => ({ candidate_id: id, pre_drafted_text: texts[at] ?? "" })),
  });
  const ids = (data as { results: { approval_queue_id: number }[] }).results.map(
    ({ approval_queue_id }) => approval_queue_id,
  );
  expect((await owner().approve(await item(ids[0] ?? 0))).ok).toBe(true);
  expect((await owner().reject(await item(ids[1] ?? 0), "Too sure.")).ok).toBe(true);
  const { meta } = await desk.call("get_pending_count");
  expect(meta?.decisions).toMatchObject([
    { approval_queue_id: ids[0], status: "executed", result: { id: expect.any(String) } },
    { approval_queue_id: ids[1], status: "rejected", person_says: "Too sure." },
  ]);
});

test("the last twenty decisions are listed", async () => {
  desk = await open();
  for (let number = 0; number < 22; number++) {
    const id = await queued("x_follow_user", { target_user_id: desk.sandbox.person(cast.friend).id });
    await owner().reject(await item(id), `No, for the ${number}. time.`);
    desk.sandbox.clock.advance(8 * 86_400_000);
  }
  const all = await decided();
  expect(all).toHaveLength(20);
  expect(all[0]).toMatchObject({ status: "rejected", person_says: "No, for the 21. time." });
});

test("an approved change is listed once, and a rejected or expired one does not stay routed", async () => {
  desk = await open();
  const approved = await queued("x_post_tweet", { text: "Out." });
  const rejected = await queued("x_post_tweet", { text: "Not out." });
  await queued("x_post_tweet", { text: "Forgotten." });
  desk.sandbox.clock.advance(1_000);
  await owner().approve(await item(approved));
  await owner().reject(await item(rejected), undefined);
  expect((await mutations()).map(({ tool_name, status }) => [tool_name, status])).toEqual([
    ["x_post_tweet", "success"],
    ["x_post_tweet", "routed"],
    ["x_post_tweet", "rejected"],
  ]);
  desk.sandbox.clock.advance(30 * 86_400_000);
  await desk.call("list_pending_approvals");
  expect((await mutations({ status: "expired" })).map(({ status }) => status)).toEqual(["expired"]);
  expect(await mutations({ status: "routed" })).toEqual([]);
  const { data } = await desk.call("get_action_log", { since_hours: 2160 });
  const actions = (data as { actions: { status: string }[] }).actions;
  expect(actions.map(({ status }) => status).sort()).toEqual(["expired", "rejected", "success"]);
});

test("a series and a post that are approved for later are scheduled, not executed", async () => {
  desk = await open();
  const day = 86_400_000;
  const soon = (days: number) => new Date(desk.sandbox.clock.now() + days * day).toISOString();
  const series = await queued("create_recurring_posts", {
    variants: ["Loaves are out.", "Fresh bread again."],
    repeats: "09:30",
    until: soon(4),
  });
  const one = await queued("create_draft", { texts: ["Rye on Friday."], scheduled_for: soon(2) });
  for (const id of [series, one]) expect((await owner().approve(await item(id))).ok).toBe(true);
  const { meta } = await desk.call("get_pending_count", {}, agent);
  expect(meta?.decisions).toMatchObject([{ approval_queue_id: series, status: "scheduled" }]);
  expect(await decided()).toMatchObject([
    { id: one, status: "scheduled", scheduled_for: expect.any(String) },
    { id: series, status: "scheduled" },
  ]);
  expect((await mutations()).map(({ tool_name, status }) => [tool_name, status])).toEqual([
    ["create_draft", "success"],
    ["create_recurring_posts", "scheduled"],
  ]);
});
