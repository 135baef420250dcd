import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { INJECTIONS } from "../../test/injections.ts";
import { type ModelServer, modelServer } from "../../test/model-server.ts";
import { configSchema } from "../config/schema.ts";
import { openStore } from "../storage/open-store.ts";
import type { Store } from "../storage/store.ts";
import { ARCHETYPES, FORMATS, namesOf, STRUCTURES } from "./frameworks.ts";
import { openLlm } from "./open-llm.ts";
import { standIn } from "./stand-in.ts";
import { draftReply, draftThread, draftTweet, type WritingContext } from "./write.ts";

let server: ModelServer;
let store: Store;
beforeAll(async () => {
  server = await modelServer();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  const opened = await openStore({ path: ":memory:" }, { now: () => 0 });
  if (!opened.ok) throw opened.failure;
  store = opened.value;
});

const never = new AbortController().signal;

/** Equal in every run. */
function dice(): () => number {
  let state = 42;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function context(change: Partial<WritingContext> = {}): WritingContext {
  const config = configSchema.parse({
    business: {
      product_name: "Crumb",
      product_description: "A log for bakers",
      product_keywords: ["sourdough"],
    },
    llm: { provider: "ollama", base_url: server.url, model: "baker" },
  });
  const llm = openLlm(config, {
    isSandbox: false,
    fetch,
    clock: { now: () => 0, after: () => () => {} },
    random: () => 0,
  });
  if (!llm.ok) throw new Error(llm.failure.message);
  return {
    store,
    account: "1",
    llm: llm.value,
    config,
    access: { plan: "enterprise", isPremium: false },
    random: dice(),
    now: () => 1_000,
    ...change,
  };
}

const post = { author: "rye_fan", text: "My sourdough came out flat today. What am I doing wrong?" };
const ask = { post, isSummoned: true } as const;

describe("an instruction in somebody's post", () => {
  test.each(INJECTIONS)(
    "reaches no draft, even if the model obeys: $name",
    async ({ post: text, obeyed, problem }) => {
      const before = server.requests.length;
      server.says(obeyed);
      const written = await draftReply(context(), { ...ask, post: { author: "stranger", text } }, never);
      expect(written).toMatchObject({
        ok: false,
        failure: { code: "llm_error", reason: "unusable", details: { problem } },
      });
      const [first, second] = server.requests.slice(before);
      expect(first?.system).not.toContain(text);
      expect(first?.prompt.match(/<\/?post>/g)).toEqual(["<post>", "</post>"]);
      expect(second?.prompt).toContain("could not be used");
    },
  );

  test("costs the text it made, not the next one", async () => {
    server.says("See bread-deals.com", "A longer rest may be all it needs.");
    expect(await draftReply(context(), ask, never)).toMatchObject({
      ok: true,
      value: { text: "A longer rest may be all it needs." },
    });
  });
});

describe("a good answer", () => {
  test.each([
    "What does the dough look like when it goes in?",
    "Flat often means tired: feed the starter twice the day before.",
    "Mine did that all winter. Warmer water fixed it.",
    "I'd let it rest an hour longer, then shape it gently.",
    "Could be the oven. 230 °C works better for me than 200.",
    "“Flat” happens to all of us. Mine needed a longer rest.",
    "That's the fun of it: no two loaves are the same 🍞",
    "Honestly? Time. Most loaves want more of it than the book says.",
  ])("is taken as it is: %s", async (text) => {
    server.says(text);
    const written = await draftReply(context(), ask, never);
    expect(written).toMatchObject({ ok: true, value: { text } });
  });

  test("may be in the language of the post", async () => {
    const text = "Das ist bei mir auch so, und die Hefe ist nicht schuld.";
    server.says(text);
    const german = {
      author: "rye_fan",
      text: "Mein Brot ist heute nicht aufgegangen, und ich weiß nicht, warum das so ist.",
    };
    expect(await draftReply(context(), { ...ask, post: german }, never)).toMatchObject({ value: { text } });
  });

  test("may have what the caller asked for", async () => {
    const text = "Thank you @bake_off for the prize #sourdough";
    server.says(text);
    const topic = "thank @bake_off for the prize, with #sourdough";
    expect(await draftTweet(context(), { topic }, never)).toMatchObject({ value: { text, topic } });
  });

  test("may link to the product where it may be mentioned, and only then", async () => {
    const base = context();
    const config = {
      ...base.config,
      business: { ...base.config.business, product_url: "https://crumb.example" },
    };
    server.says("Notes help: https://crumb.example");
    expect(await draftReply(context({ config }), { ...ask, mentionProduct: true }, never)).toMatchObject({
      ok: true,
    });
    expect(await draftReply(context({ config }), ask, never)).toMatchObject({
      failure: { details: { problem: "unasked_link" } },
    });
  });
});

describe("an answer that is no post", () => {
  test.each([
    { name: "empty", answer: "  \n", problem: "empty" },
    { name: "too long by X's count", answer: "パン".repeat(71), problem: "too_long" },
    { name: "cut", answer: { text: "Feed it at the", isCut: true }, problem: "too_long" },
  ])("is asked for again once and then refused, never cut: $name", async ({ answer, problem }) => {
    const before = server.requests.length;
    server.says(answer);
    expect(await draftTweet(context(), { topic: "sourdough" }, never)).toMatchObject({
      failure: { code: "llm_error", reason: "unusable", details: { problem } },
    });
    expect(server.requests.length - before).toBe(2);
  });

  test("a thread has four to eight posts", async () => {
    const posts = (count: number) => Array.from({ length: count }, (_, at) => `Step ${at + 1} of it.`);
    server.says(posts(3).join("\n---\n"), posts(5).join("\n---\n"));
    expect(await draftThread(context(), { topic: "rye" }, never)).toMatchObject({
      value: { texts: posts(5) },
    });
    expect(server.requests.at(-1)?.prompt).toContain("3 posts");
  });
});

test("a reply that X would refuse is not written", async () => {
  const before = server.requests.length;
  const access = { plan: "self_serve", isPremium: false } as const;
  expect(await draftReply(context({ access }), { ...ask, isSummoned: false }, never)).toMatchObject({
    failure: { code: "x_forbidden", reason: "unavailable_on_plan" },
  });
  expect(server.requests.length).toBe(before);
  server.says("A longer rest may be all it needs.");
  expect(await draftReply(context({ access }), ask, never)).toMatchObject({ ok: true });
});

test("aim and readers of a thread reach the model", async () => {
  server.says(["One.", "Two.", "Three.", "Four."].join("\n---\n"));
  await draftThread(
    context(),
    { topic: "rye", objective: "win over doubters", audience: "home bakers" },
    never,
  );
  expect(server.requests.at(-1)?.prompt).toMatch(/Aim: win over doubters\nWritten for: home bakers/);
});

test("what every answer used is on record, for its account", async () => {
  server.says("", "A longer rest may be all it needs.");
  await draftReply(context({ account: "7" }), ask, never);
  server.says({ status: 400 });
  await draftTweet(context({ account: "7" }), { topic: "rye" }, never);
  const rows = await store.db.selectFrom("llm_usage").selectAll().orderBy("id").execute();
  expect(rows).toMatchObject([
    {
      account: "7",
      at: 1_000,
      purpose: "reply",
      provider: "ollama",
      model: "baker",
      input_tokens: 1_000,
      output_tokens: 50,
      cost_micros: 0,
      failed: 0,
    },
    { purpose: "reply", failed: 0 },
    { purpose: "tweet", topic: "rye", input_tokens: null, cost_micros: null, failed: 1 },
  ]);
});

describe("frameworks", () => {
  test("are all used in turn, never one of the last few again", async () => {
    const at = context({ llm: standIn() });
    const used: string[] = [];
    for (let nth = 0; nth < 60; nth += 1) {
      const written = await draftTweet(at, { topic: "rye" }, never);
      if (!written.ok) throw new Error(written.failure.message);
      expect(used.slice(-3)).not.toContain(written.value.format);
      used.push(written.value.format);
    }
    expect(new Set(used)).toEqual(new Set(namesOf(FORMATS)));
  });

  test("are the same for the same dice", async () => {
    const play = async () => {
      const at = context({ llm: standIn(), account: String(Math.random()), random: dice() });
      const written = [];
      for (let nth = 0; nth < 10; nth += 1) written.push(await draftReply(at, ask, never));
      return written.map((one) => one.ok && one.value.archetype);
    };
    expect(await play()).toEqual(await play());
  });

  test("are passed to the model, and enforced if the caller names one", async () => {
    server.says("Does it sing when it cools?");
    const written = await draftReply(context(), { ...ask, archetype: "ask_question" }, never);
    expect(written).toMatchObject({ value: { archetype: "ask_question" } });
    expect(server.requests.at(-1)?.prompt).toContain(ARCHETYPES.ask_question.instruction);
  });
});

test("own posts that did well go to the model, decay by half in a fortnight", async () => {
  const DAY = 86_400_000;
  const posts = [
    { id: "1", text: "Old and loud.", age: 28, score: 100 },
    { id: "2", text: "New and fair, with a crust that sings.", age: 0, score: 40 },
    { id: "3", text: "New and silent.", age: 0, score: 0 },
    { id: "4", text: "Somebody else's.", age: 0, score: 90, account: "2" },
  ];
  for (const { id, text, age, score, account = "1" } of posts) {
    const published_at = 100 * DAY - age * DAY;
    await store.db
      .insertInto("publications")
      .values({
        account,
        post_id: id,
        receipt_id: id,
        kind: "tweet",
        position: 0,
        text,
        reply_to: null,
        author_id: null,
        topic: null,
        format: null,
        published_at,
        measured_at: published_at,
      })
      .execute();
    const counts = { likes: 1, replies: 0, reposts: 0, bookmarks: 0, impressions: 10 };
    await store.db
      .insertInto("measurements")
      .values({ account, post_id: id, at: published_at, score, ...counts })
      .execute();
  }
  server.says("Rye is patient.");
  await draftTweet(context({ now: () => 100 * DAY }), { topic: "rye" }, never);
  expect(server.requests.at(-1)?.system).toMatch(
    /did well:\n- "New and fair, with a crust that sings\."\n- "Old and loud\."$/,
  );
  server.says("New and fair, with a crust that sings.");
  expect(await draftTweet(context({ now: () => 100 * DAY }), { topic: "rye" }, never)).toMatchObject({
    failure: { details: { problem: "repeats_the_prompt" } },
  });
});

describe("the stand-in", () => {
  test("passes every check, whatever it is asked for, and says that it is one", async () => {
    const at = context({ llm: standIn() });
    const topic = "a topic with rather many words in it that somebody wrote without thinking of an end";
    for (let round = 0; round < 12; round += 1) {
      for (const archetype of namesOf(ARCHETYPES))
        expect(await draftReply(at, { ...ask, archetype }, never)).toMatchObject({
          value: { writer: { isStandIn: true } },
        });
      for (const format of namesOf(FORMATS))
        expect(await draftTweet(at, { topic, format }, never)).toMatchObject({ ok: true });
      for (const structure of namesOf(STRUCTURES))
        expect(await draftThread(at, { topic, structure }, never)).toMatchObject({ ok: true });
    }
  });
});
