import { cast } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TuitbotTool } from "../src/guards/call/tool-facts.ts";
import { isWorkflowProfile } from "../src/profiles.ts";
import { allTools } from "../src/tools/all-tools.ts";
import { isChange, isClosed } from "./calls/operations.ts";
import type { Args } from "./calls/tool-call.ts";
import { type Answer, type LiveStage, openStage } from "./live-stage.ts";
import { toolCalls } from "./tool-calls.ts";

/** With a few words before it nearly 280 characters, and half as many bytes more. */
const LONG = "ünïcödé ".repeat(31);

const isRead = (tool: TuitbotTool) => !isChange(tool) && !isClosed(tool);

/** Between them these have every tool, and every kind of envelope. */
describe.each(["api-readonly", "utility-write", "admin"] as const)("reads in the profile %s", (profile) => {
  const reads = allTools.filter((tool) => tool.profiles.includes(profile) && isRead(tool));
  const answers = new Map<string, Answer>();
  let stage: LiveStage;

  beforeAll(async () => {
    stage = await openStage(profile, () => ({
      TUITBOT_BUSINESS__PRODUCT_KEYWORDS: "rust,question",
      TUITBOT_TARGETS__ACCOUNTS: Array.from({ length: 150 }, (_, n) => `target_${n}`).join(","),
    }));
    fillWorld(stage);
    if (isWorkflowProfile(profile)) await fillDatabase(stage);
    for (const tool of reads) answers.set(tool.name, await stage.call(tool.name, await required(tool)));
  }, 60_000);

  afterAll(() => stage?.close());

  async function required(tool: TuitbotTool): Promise<Args> {
    const args = (await toolCalls[tool.name]?.args(stage)) ?? {};
    const { required: names = [] } = tool.inputSchema("oneOf") as { readonly required?: readonly string[] };
    // It needs the post, or everything about it.
    const wanted = tool.name === "score_tweet" ? ["tweet_id"] : names;
    return Object.fromEntries(Object.entries(args).filter(([name]) => wanted.includes(name)));
  }

  it("answer with at most 8 kB to their required arguments alone, of an account full of everything", () => {
    for (const [tool, { success, error }] of answers)
      expect(success, `${tool}: ${JSON.stringify(error)}`).toBe(true);
    const large = [...answers].map(([tool, answer]) => [tool, size(answer)] as const);
    expect(large.filter(([, bytes]) => bytes > 8_000)).toEqual([]);
    // Pages are small enough that nothing of them has to be cut.
    const cut = [...answers].filter(([, { meta }]) => meta?.truncated !== undefined);
    expect(cut.map(([tool]) => tool)).toEqual([]);
  });

  it("answer with more if more is requested", async () => {
    const grown: string[] = [];
    for (const tool of reads) {
      const argument = ["limit", "max_results", "count"].find((name) => paramsOf(tool)[name] !== undefined);
      const first = answers.get(tool.name);
      if (argument === undefined || first === undefined || size(first) < 4_000) continue;
      const most = Math.min(100, Number(paramsOf(tool)[argument]?.maximum));
      const asked = await stage.call(tool.name, { ...(await required(tool)), [argument]: most });
      expect(size(asked), tool.name).toBeGreaterThan(8_000);
      expect(size(asked), tool.name).toBeLessThanOrEqual(40_000);
      grown.push(tool.name);
    }
    expect(grown.length).toBeGreaterThan(3);
  });

  it("show a post in one shape", () => {
    // Several posts may have the same text. X puts a name before the text of a reply.
    const texts = Map.groupBy(
      stage.sandbox
        .dump()
        .posts.flatMap(({ id, text, submitted }) =>
          [text, submitted].map((one) => ({ id, text: one.trim() })),
        ),
      ({ text }) => text,
    );
    const seen = new Set<string>();
    for (const [tool, answer] of answers)
      for (const object of objectsIn(answer.data)) {
        const [name, text] =
          Object.entries(object).find(([, value]) => texts.has(String(value).trim())) ?? [];
        if (name === undefined || NOT_POSTS.has(tool)) continue;
        seen.add(tool);
        expect([tool, name], JSON.stringify(object)).toEqual([tool, "text"]);
        // A page of posts by one author names them once.
        const { author } = Object(answer.data);
        expect({ author, ...object }, tool).toMatchObject({
          id: expect.toBeOneOf(texts.get(String(text).trim())?.map(({ id }) => id) ?? []),
          author: expect.stringMatching(/^@\w+$/),
          created_at: expect.stringMatching(/Z$/),
        });
        if (object.url !== undefined)
          expect(object.url, tool).toMatch(new RegExp(`^https://x.com/.*/status/${object.id}$`));
        expect(Object.keys(object).filter((key) => OTHER_NAMES.test(key))).toEqual([]);
      }
    expect([...seen]).toEqual(
      expect.arrayContaining(["x_get_user_tweets", "x_search_tweets", "get_tweet_by_id"]),
    );
    if (profile === "admin")
      expect([...seen]).toEqual(
        expect.arrayContaining([
          "find_reply_opportunities",
          "get_author_context",
          "get_discovery_feed",
          "get_recent_replies",
          "list_pending_approvals",
          "list_unreplied_tweets",
          "refresh_analytics",
        ]),
      );
  });

  it("describe every page alike, with has_more exactly where there is a next token", () => {
    let more = 0;
    for (const tool of reads.filter((read) => "pagination_token" in paramsOf(read))) {
      const { meta } = answers.get(tool.name) ?? {};
      const { next_token, ...page } = Object(meta?.pagination);
      const has_more = typeof next_token === "string";
      expect(page, tool.name).toEqual({ result_count: expect.any(Number), has_more });
      if (has_more) more += 1;
    }
    expect(more).toBeGreaterThan(3);
  });

  it("guess no figures", () => {
    for (const [tool, answer] of answers) expect(JSON.stringify(answer.data), tool).not.toMatch(GUESSES);
  });
});

it("every list has a page size with a small default, and a token or an end", () => {
  const lists = allTools.filter((tool) => isRead(tool) && "pagination_token" in paramsOf(tool));
  expect(lists.length).toBeGreaterThan(20);
  const without = lists.filter((tool) => {
    const { limit, max_results, count } = paramsOf(tool);
    const size = limit ?? max_results ?? count;
    return !(Number(size?.default) <= 20 && Number(size?.maximum) >= 20);
  });
  expect(without.map(({ name }) => name)).toEqual([]);
});

it("no tool, of reads and changes, has a figure in its answer that is a guess", () => {
  for (const tool of allTools) expect(JSON.stringify(tool.outputSchema()), tool.name).not.toMatch(GUESSES);
});

/** Arguments of a call, which are no posts, and what X itself sends. */
const NOT_POSTS = new Set([
  "x_get",
  "get_recent_mutations",
  "get_mutation_detail",
  "get_action_log",
  "x_post_tweet_dry_run",
  "x_post_thread_dry_run",
]);

/** Names that one or another list had for what the shape of a post says otherwise. */
const OTHER_NAMES = /^(tweet_|post_id|published_at|posted_at|impressions|retweets|like_count|content$)/;

const GUESSES = /"(\w*_)?(confidence|estimated_performance|predicted_\w+|expected_\w+)"/;

interface Param {
  readonly default?: unknown;
  readonly maximum?: number;
}

function paramsOf(tool: TuitbotTool): Readonly<Record<string, Param>> {
  return (tool.inputSchema("oneOf") as { readonly properties?: Record<string, Param> }).properties ?? {};
}

function size(answer: Answer): number {
  return Buffer.byteLength(JSON.stringify(answer));
}

function* objectsIn(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (typeof value !== "object" || value === null) return;
  // JSON, and so a plain object or a list.
  if (!Array.isArray(value)) yield value as Readonly<Record<string, unknown>>;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

function fillWorld({ sandbox, me, friendsPost, newList }: LiveStage): void {
  const { world, clock } = sandbox;
  for (let n = 0; n < 120; n++) {
    const { id } = sandbox.say(cast.friend, `rust ${n} @sandbox_owner ${LONG}`);
    sandbox.say(cast.owner, `${n} of mine ${LONG}`);
    sandbox.say(cast.friend, `${n} quoted ${LONG}`, { quoting: friendsPost });
    world.likes.add(sandbox.person(cast.friend).id, id, world.relationKeyAt(clock.now()));
    world.bookmarks.add(me, id, world.relationKeyAt(clock.now()));
    newList();
  }
  clock.advance(60_000);
}

async function fillDatabase({ call, sandbox }: LiveStage): Promise<void> {
  const done = async (tool: string, args: Args) => {
    const answer = await call(tool, args);
    expect(answer.success, JSON.stringify(answer.error)).toBe(true);
  };
  for (let n = 0; n < 110; n++) {
    await done("create_draft", { texts: [`Draft ${n} ${LONG}`.slice(0, 270)] });
    await done("x_delete_tweet", { tweet_id: sandbox.say(cast.owner, `Gone ${n} ${LONG}`).id });
  }
  for (let n = 0; n < 40; n++) {
    await done("x_post_tweet", { text: `Post ${n} ${LONG}`.slice(0, 270) });
    const { id } = sandbox.say(cast.friend, `${n} a question of rust ${LONG}`);
    await done("x_reply_to_tweet", { in_reply_to_id: id, text: ownWords(n) });
  }
  await done("find_reply_opportunities", { query: "rust", min_score: 0, limit: 100 });
  sandbox.clock.advance(60_000);
}

/** Words that no other reply has, without digits. */
function ownWords(n: number): string {
  const word = (at: number) => [...String(n * 20 + at)].map((digit) => SYLLABLES[Number(digit)]).join("");
  return Array.from({ length: 20 }, (_, at) => word(at)).join(" ");
}

const SYLLABLES = ["ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru"];
