import { canonicalJson, type JsonObject } from "@toolpact/contract";
import { paint, type Terminal } from "@toolpact/contract/cli";
import { failed, type Outcome, ok } from "@toolpact/contract/outcome";
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
  const teller = new Teller(terminal, pause, stage);
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
  if (posts_out !== 1 + THREAD.length)
    return failed(`The demo did not go as it should: ${posts_out} posts are out.`);
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

const POST = "Sourdough tip: a starter that smells of apples is ready to bake with.";

const THREAD = [
  "Three things about sourdough that took me a year:",
  "1. Warm water matters more than the flour.",
  "2. A lazy fold is still a fold.",
  "3. Write down what you did, or you will never do it again.",
];

const CHAPTERS: readonly Chapter[] = [
  {
    title: "Search",
    tell: "An agent looks for a conversation worth joining. Small pages: X charges for every post it returns.",
    async play(teller) {
      const found = await teller.call("x_search_tweets", { query: "sourdough" });
      const posts = (found.data?.posts ?? []) as readonly Post[];
      const [first] = posts;
      if (first === undefined) return "nothing was found";
      teller.candidate = [...posts].sort((a, b) => (b.likes ?? 0) - (a.likes ?? 0))[0] ?? first;
      await teller.say(
        `${posts.length} posts. The liveliest, by ${teller.candidate.author}: “${teller.candidate.text}”`,
      );
      return undefined;
    },
  },
  {
    title: "Score",
    tell: "Is it worth a reply? The score is worked out here, from the configuration; nobody is asked.",
    async play(teller) {
      const post = teller.candidate;
      if (post === undefined) return "there is no candidate";
      const scored = await teller.call("score_tweet", {
        text: post.text ?? "",
        author_username: post.author ?? "",
        author_followers: post.author_followers ?? 0,
        likes: post.likes ?? 0,
        retweets: post.reposts ?? 0,
        replies: post.replies ?? 0,
        created_at: post.created_at ?? "",
      });
      if (scored.data === null) return "it was not scored";
      await teller.say(
        `${scored.data.total} of 100, ${scored.data.meets_threshold ? "worth it" : "not worth it"}. So it posts a thought of its own.`,
      );
      return undefined;
    },
  },
  {
    title: "Post",
    tell: "One post. The answer says what it cost and who has to approve.",
    async play(teller) {
      const posted = await teller.call("x_post_tweet", { text: POST });
      return posted.success ? undefined : "it was not posted";
    },
  },
  {
    title: "A duplicate, refused",
    tell: "Agents repeat themselves when an answer is slow. The same call within 30 seconds goes nowhere.",
    async play(teller) {
      const again = await teller.call("x_post_tweet", { text: POST });
      return again.error?.reason === "duplicate_request" ? undefined : "it was not refused";
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
    tell: "Four posts; X stops at the third. Two are out. The answer holds a handle to go on with.",
    async play(teller) {
      teller.stage.failThirdPost();
      const cut = await teller.call("x_post_thread", { tweets: THREAD });
      if (cut.error?.code !== "thread_partial_failure") return "it was not cut";
      await teller.chapter(
        "The thread, mended",
        "The same call with that handle goes on at the third post. Nothing is posted twice.",
      );
      const mended = await teller.call("x_post_thread", {
        tweets: THREAD,
        resume: String(cut.error.details?.resume),
      });
      return mended.success ? undefined : "it could not be resumed";
    },
  },
];

interface Post {
  readonly author?: string;
  readonly author_followers?: number;
  readonly text?: string;
  readonly created_at?: string;
  readonly likes?: number;
  readonly reposts?: number;
  readonly replies?: number;
}

/** Says what happens, at the pace of a reader. */
class Teller {
  candidate: Post | undefined;
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

const READING_MS = 2_700;
const CALLING_MS = 900;

/** The envelope in a line or two: what a person watching wants to know of it. */
function summary({ data, error, meta }: Answer): string {
  const cost = meta?.cost === undefined ? "" : `  (${JSON.stringify(meta.cost)})`;
  if (error === undefined) return `success ${short(JSON.stringify(data), 200)}${cost}`;
  const reason = error.reason === undefined ? "" : `, ${error.reason}`;
  const wait = error.retry_after_ms === undefined ? "" : ` Wait ${Math.ceil(error.retry_after_ms / 1000)} s.`;
  return `${error.code}${reason}, ${error.retryable ? "retryable" : "not retryable"}\n    ${error.message}${wait}\n    ${error.suggested_fix ?? ""}`;
}

function short(text: string, most = 120): string {
  const points = [...text];
  return points.length <= most ? text : `${points.slice(0, most).join("")}…`;
}
