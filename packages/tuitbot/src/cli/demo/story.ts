import { paint, type Terminal } from "@toolpact/cli";
import { canonicalJson, type JsonObject } from "@toolpact/contract";
import { failed, type Outcome, ok } from "@toolpact/contract/outcome";
import { listIn, numberIn, objectIn, textIn } from "../../x/shapes/x-object.ts";
import { type Answer, type Stage, setStage } from "./stage.ts";

type Pause = (ms: number) => Promise<void>;

/** What the story came to, for a program. */
interface Ending extends JsonObject {
  readonly chapters: readonly string[];
  readonly posts_out: number;
  readonly spent_usd: number;
}

/** Plays the story; it ends early when somebody stops it, and fails when it does not go as it should. */
export async function playStory(
  terminal: Terminal,
  pause: Pause,
  signal: AbortSignal,
): Promise<Outcome<Ending, string>> {
  const stage = await setStage(signal);
  try {
    return await tell(new Teller(terminal, pause, stage), signal);
  } finally {
    await stage.close();
  }
}

async function tell(teller: Teller, signal: AbortSignal): Promise<Outcome<Ending, string>> {
  const { stage } = teller;
  const before = stage.postsOfMine();
  teller.heading(
    "tuitbot, for a minute, on a made-up X. Nothing here is real; everything behaves as X does.",
  );
  for (const chapter of CHAPTERS) {
    if (signal.aborted) return failed("It was stopped.");
    await teller.chapter(chapter.title, chapter.tell);
    const broken = await chapter.play(teller);
    if (broken !== undefined) return failed(`The demo did not go as it should: ${chapter.title}: ${broken}`);
  }
  const posts_out = stage.postsOfMine() - before;
  if (posts_out !== POSTS_OUT) return failed(`The demo did not go as it should: ${posts_out} posts are out.`);
  const spent_usd = Math.round(stage.spentUsd() * 1e6) / 1e6;
  await teller.say(
    `That was ${posts_out} posts, each of them once, for $${spent_usd.toFixed(3)} by X's price list.`,
  );
  teller.heading(
    "Yours next: tuitbot auth login, then tuitbot mcp setup. Or stay here: tuitbot mcp setup --sandbox",
  );
  return ok({ chapters: CHAPTERS.map(({ title }) => title), posts_out, spent_usd });
}

interface Chapter {
  readonly title: string;
  /** What is about to happen, and why it matters. */
  readonly tell: string;
  /** Plays it; answers with what went wrong. */
  readonly play: (teller: Teller) => Promise<string | undefined>;
}

const THREAD = [
  "Three things about sourdough that took me a year:",
  "1. Warm water matters more than the flour.",
  "2. A lazy fold is still a fold.",
  "3. Write down what you did, or you will never do it again.",
];

/** A reply, a post and the thread. */
const POSTS_OUT = 2 + THREAD.length;

const CHAPTERS: readonly Chapter[] = [
  {
    title: "Discover",
    tell: "An agent looks for conversations worth joining. What it finds is scored here, and kept.",
    async play(teller) {
      const found = await teller.call("find_reply_opportunities", { min_score: 40, limit: 10 });
      const [best] = listIn(objectIn(found.data), "candidates").map((one) => objectIn(one));
      if (best === undefined) return "nothing was found";
      teller.candidate = textIn(best, "tweet_id") ?? "";
      await teller.say(
        `The best, ${numberIn(best, "score_total")} of 100, by ${textIn(best, "author_username")}: “${textIn(best, "text")}”`,
      );
      return undefined;
    },
  },
  {
    title: "Draft",
    tell: "A reply and a post are written. Here a stand-in writes from a table; with llm.provider set a model does, and is checked: what other people's posts ask for is no order.",
    async play(teller) {
      const drafted = await teller.call("draft_replies_for_candidates", {
        candidate_ids: [teller.candidate],
      });
      const [reply] = listIn(objectIn(drafted.data), "drafts").map((one) => objectIn(one));
      teller.reply = textIn(reply ?? {}, "draft_text") ?? "";
      if (teller.reply === "") return "no reply was written";
      await teller.say(`The reply: “${teller.reply}”`);
      const composed = await teller.call("compose_tweet", { topic: "sourdough", format: "tip" });
      teller.draft = numberIn(objectIn(composed.data), "draft_id") ?? 0;
      return composed.success ? undefined : "no post was written";
    },
  },
  {
    title: "Queue",
    tell: "Here posts and replies need a person. Whatever the agent calls, they wait.",
    async play(teller) {
      const items = [{ candidate_id: teller.candidate, pre_drafted_text: teller.reply }];
      const proposed = await teller.call("propose_and_queue_replies", { items });
      const [result] = listIn(objectIn(proposed.data), "results").map((one) => objectIn(one));
      const published = await teller.call("publish_draft", { id: teller.draft });
      teller.waiting = [
        numberIn(result ?? {}, "approval_queue_id"),
        numberIn(objectIn(published.data), "approval_queue_id"),
      ].filter((item) => item !== undefined);
      return teller.waiting.length === 2 ? undefined : "they do not wait";
    },
  },
  {
    title: "Approve, and they are out",
    tell: "The person sees exactly what would go out and says yes, in the client or with `tuitbot approve`. Only then is it sent, once, however often anybody approves.",
    async play(teller) {
      for (const item of teller.waiting) {
        if (!(await teller.stage.approve(item))) return `item ${item} is not out`;
        await teller.say(`The person approves item ${item}: it is out.`);
      }
      const shown = await teller.call("get_draft", { id: teller.draft });
      return textIn(objectIn(shown.data), "status") === "published"
        ? undefined
        : "the draft is not published";
    },
  },
  {
    title: "A rate limit",
    tell: "X says stop. The answer says until when, and nothing is tried again behind the agent's back.",
    async play(teller) {
      teller.stage.limitSearches();
      const limited = await teller.call("x_search_tweets", { query: "rye" });
      return limited.error?.code === "x_rate_limited" ? undefined : "it was not limited";
    },
  },
  {
    title: "A thread, cut in the middle",
    tell: "Four posts; X fails at the third. Two are out. The answer holds a handle to go on with.",
    async play(teller) {
      teller.stage.failThirdPost();
      const cut = await teller.call("x_post_thread", { tweets: THREAD });
      if (cut.error?.code !== "thread_partial_failure") return "it was not cut";
      await teller.chapter(
        "The thread, mended",
        "The same call with that handle goes on at the third post. Nothing is posted twice.",
      );
      const call = { tweets: THREAD, resume: String(cut.error.details?.resume) };
      const mended = await teller.call("x_post_thread", call);
      if (!mended.success) return "it could not be resumed";
      await teller.chapter(
        "A duplicate, refused",
        "Agents repeat themselves when an answer is slow. The same call again goes nowhere.",
      );
      const again = await teller.call("x_post_thread", call);
      return again.error?.reason === "duplicate_request" ? undefined : "it was not refused";
    },
  },
  {
    title: "Measure",
    tell: "A day passes. What is out is measured once, and tells what to write about next.",
    async play(teller) {
      const measured = await teller.stage.aDayLater();
      if (measured < 3) return `${measured} posts were measured`;
      const stats = await teller.call("get_stats", {});
      const { avg_tweet_engagement, avg_reply_engagement } = objectIn(stats.data);
      await teller.say(
        `${measured} posts were measured: posts score ${avg_tweet_engagement}, replies ${avg_reply_engagement}, per thousand who saw them.`,
      );
      const next = await teller.call("suggest_topics", { count: 2 });
      return next.success ? undefined : "no topic was suggested";
    },
  },
];

/** Says what happens, at the pace of a reader. */
class Teller {
  /** What the story has come to so far: a post found, a reply to it, a draft, and what waits for the person. */
  candidate = "";
  reply = "";
  draft = 0;
  waiting: readonly number[] = [];
  readonly stage: Stage;
  readonly #terminal: Terminal;
  readonly #pause: Pause;

  constructor(terminal: Terminal, pause: Pause, stage: Stage) {
    this.#terminal = terminal;
    this.#pause = pause;
    this.stage = stage;
  }

  heading(text: string): void {
    this.#terminal.out(`\n${paint(this.#terminal, "bold", text)}\n`);
  }

  async chapter(title: string, text: string): Promise<void> {
    this.#terminal.out(`\n${paint(this.#terminal, "bold", title)}\n${text}\n`);
    await this.#pause(READING_MS);
  }

  async say(text: string): Promise<void> {
    this.#terminal.out(`  ${text}\n`);
    await this.#pause(READING_MS);
  }

  async call(tool: string, args: JsonObject) {
    this.#terminal.out(`  ${paint(this.#terminal, "cyan", `→ ${tool}`)} ${short(canonicalJson(args))}\n`);
    await this.#pause(CALLING_MS);
    const envelope = await this.stage.call(tool, args);
    const style = envelope.success ? "green" : "yellow";
    this.#terminal.out(`  ${paint(this.#terminal, style, `← ${summary(envelope)}`)}\n`);
    await this.#pause(READING_MS);
    return envelope;
  }
}

const READING_MS = 2_000;
const CALLING_MS = 600;

/** The envelope in a line or two: what a person watching wants to know of it. */
function summary({ data, error, meta }: Answer): string {
  const spent = numberIn(objectIn(meta?.cost), "settled_usd");
  const cost = spent === undefined ? "" : `  $${spent.toFixed(3)}`;
  if (error === undefined) return `success ${short(JSON.stringify(data))}${cost}`;
  const reason = error.reason === undefined ? "" : `, ${error.reason}`;
  const wait = error.retry_after_ms === undefined ? "" : ` Wait ${Math.ceil(error.retry_after_ms / 1000)} s.`;
  return `${error.code}${reason}, ${error.retryable ? "retryable" : "not retryable"}\n    ${error.message}${wait}\n    ${error.suggested_fix ?? ""}`;
}

/** As much as fits beside a tool's name on one line. */
function short(text: string): string {
  const points = [...text];
  return points.length <= 72 ? text : `${points.slice(0, 72).join("")}…`;
}
