import { cast } from "@toolpact/x-sandbox";
import { afterEach, describe, expect, test } from "vitest";
import { releaseItem } from "../../src/approval/release.ts";
import { agent, type Desk, openDesk, person } from "./desk.ts";

let desk: Desk;
afterEach(() => desk?.close());

const crumb = { business: { product_name: "Crumb" } };

function reply(text: string, to: string, caller = agent) {
  return desk.call("x_reply_to_tweet", { text, in_reply_to_id: to }, caller);
}

describe.each([
  ["an agent", agent],
  ["a person", person],
])("for %s", (_, caller) => {
  test("an author gets so many replies a day, also from calls at the same time", async () => {
    desk = await openDesk({ config: { limits: { max_replies_per_author_per_day: 1 } } });
    const { sandbox } = desk;
    const posts = ["One", "Two", "Three"].map((text) => sandbox.say(cast.friend, text));
    const texts = ["I am with you on this", "That is quite another matter", "Never thought of it so"];
    const answers = await Promise.all(posts.map(({ id }, at) => reply(texts[at] ?? "", id, caller)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    for (const { success, error } of answers)
      if (!success)
        expect(error).toMatchObject({ code: "policy_denied_rate_limited", reason: "policy_limit" });

    const other = sandbox.say(cast.stranger, "And I?");
    expect(await reply("Somebody else is somebody else", other.id, caller)).toMatchObject({ success: true });
    sandbox.clock.advance(86_400_000);
    const later = sandbox.say(cast.friend, "Four");
    expect(await reply("A new day for the two of us", later.id, caller)).toMatchObject({ success: true });
  });

  test("nothing is said twice in nearly the same words", async () => {
    desk = await openDesk();
    const { sandbox } = desk;
    const [one, two] = [sandbox.say(cast.friend, "One"), sandbox.say(cast.stranger, "Two")];
    await reply("A slow rise makes a better crust", one.id, caller);
    const { error } = await reply("A slow rise makes a better crust!", two.id, caller);
    expect(error).toMatchObject({
      code: "policy_denied_user_rule",
      details: { matched_rule_id: "safety:similar_reply" },
    });
  });

  test("own posts are gone on with by one rule, wherever they were posted", async () => {
    desk = await openDesk({ config: { limits: { max_replies_per_day: 1 } } });
    const elsewhere = desk.sandbox.say(cast.owner, "Posted by hand").id;
    const { data } = await desk.call("x_post_tweet", { text: "Posted here" }, caller);
    for (const [text, id] of [
      ["So true", elsewhere],
      ["And one more thing", (data as { id: string }).id],
    ] as const)
      expect(await reply(text, id, caller), text).toMatchObject({ success: true });
    const { db } = desk.services.db.store;
    const published = await db.selectFrom("publications").select(["text", "kind"]).execute();
    expect(published).toEqual(
      expect.arrayContaining([
        { text: "So true", kind: "thread" },
        { text: "And one more thing", kind: "thread" },
      ]),
    );
    // Neither has used up the one reply of the day.
    const other = desk.sandbox.say(cast.friend, "Another post");
    expect(await reply("How long does it rise?", other.id, caller)).toMatchObject({ success: true });
  });

  test("the product is named in a share of the replies only", async () => {
    desk = await openDesk({ config: { ...crumb, limits: { product_mention_ratio: 0.05 } } });
    const { sandbox } = desk;
    const say = (text: string) => sandbox.say(cast.friend, text).id;
    expect(await reply("We built Crumb for this", say("One"), caller)).toMatchObject({ success: true });
    expect((await reply("crumb does that as well", say("Two"), caller)).error).toMatchObject({
      details: { matched_rule_id: "safety:product_mentions" },
    });
    expect(await reply("Bread does that as well", say("Three"), caller)).toMatchObject({ success: true });
  });
});

test("what cannot be sent is not put before a person", async () => {
  desk = await openDesk({ config: { approval_mode: true, limits: { max_replies_per_author_per_day: 1 } } });
  const { sandbox, services } = desk;
  const [one, two] = [sandbox.say(cast.friend, "One"), sandbox.say(cast.friend, "Two")];
  const routed = await reply("Waits for somebody to agree", one.id);
  expect(routed.data).toMatchObject({ policy_decision: "routed_to_approval" });
  const { items } = (await desk.call("list_pending_approvals")).data as { items: { id: number }[] };
  const id = items[0]?.id ?? 0;
  const row = await services.db.store.db
    .selectFrom("approvals")
    .select("digest")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  expect(await releaseItem(services.approvals, id, { digest: row.digest, by: "somebody" })).toMatchObject({
    ok: true,
  });
  expect((await reply("And another thing entirely", two.id)).error).toMatchObject({
    code: "policy_denied_rate_limited",
  });
  expect((await desk.call("get_pending_count")).data).toEqual({ pending_count: 0 });
});

test("an author whose post was never seen is asked for once", async () => {
  desk = await openDesk();
  const { sandbox } = desk;
  const post = sandbox.say(cast.friend, "One");
  sandbox.faults.add({ operation: "createPosts", kind: "error", status: 503 });
  await reply("The first try of this one", post.id);
  await reply("Quite another second attempt", post.id);
  expect(sandbox.journal.of("getPostsById")).toHaveLength(1);
});

test("denials are in the audit with their rule", async () => {
  desk = await openDesk();
  const [one, two] = [desk.sandbox.say(cast.friend, "One"), desk.sandbox.say(cast.stranger, "Two")];
  await reply("A slow rise makes a better crust", one.id);
  await reply("A slow rise makes a better crust!", two.id);
  const rows = await desk.services.db.store.db.selectFrom("audit").select(["decision", "rule_id"]).execute();
  expect(rows).toContainEqual({ decision: "deny", rule_id: "safety:similar_reply" });
});

test("on most plans a reply to somebody who did not call is not even put before a person", async () => {
  desk = await openDesk({ sandbox: { plan: "self_serve" }, config: { approval_mode: true } });
  const { sandbox } = desk;
  const mine = sandbox.say(cast.owner, "A thought of mine");
  const stranger = sandbox.say(cast.stranger, "Nobody in particular");
  const caller = sandbox.say(cast.friend, `What do you think, @${cast.owner}?`);
  const quoter = sandbox.say(cast.friend, "Look at this", { quoting: mine.id });
  expect((await reply("May I say something here", stranger.id)).error).toMatchObject({
    code: "x_forbidden",
    reason: "unavailable_on_plan",
    details: { action: "reply", needs: "summons" },
  });
  expect((await desk.call("get_pending_count")).data).toEqual({ pending_count: 0 });
  for (const [text, { id }] of [
    ["That it depends on the flour", caller] as const,
    ["Thanks for sharing this one", quoter] as const,
  ])
    expect((await reply(text, id)).data).toMatchObject({ policy_decision: "routed_to_approval" });
  expect(sandbox.journal.of("createPosts")).toEqual([]);
});
