import { paint, type Terminal } from "@toolpact/cli";
import type { JsonObject } from "@toolpact/contract";
import { canonicalJson } from "@toolpact/contract/internal";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { listIn, numberIn, objectIn, textIn } from "../../x/shapes/x-object.ts";
import { dollars } from "../daily/daily-session.ts";
import { type Answer, type DemoServer, openDemoServer } from "./demo-server.ts";

type Pause = (ms: number) => Promise<void>;

/** The result of the demo, as JSON. */
interface DemoResult extends JsonObject {
  readonly steps: readonly string[];
  readonly posts_out: number;
  readonly spent_usd: number;
}

/** Runs the demo. It fails if a step has another result than expected, or when the person stops it. */
export async function runDemo(
  terminal: Terminal,
  pause: Pause,
  signal: AbortSignal,
): Promise<Outcome<DemoResult, string>> {
  const server = await openDemoServer(signal);
  try {
    return await present(new Presenter(terminal, pause, server), signal);
  } finally {
    await server.close();
  }
}

async function present(presenter: Presenter, signal: AbortSignal): Promise<Outcome<DemoResult, string>> {
  const { server } = presenter;
  const before = server.postsOfMine();
  presenter.heading("tuitbot in one minute, on a simulated X. Nothing here is real.");
  for (const step of STEPS) {
    if (signal.aborted) return failed("It was stopped.");
    await presenter.step(step.title, step.explanation);
    const broken = await step.run(presenter);
    if (broken !== undefined) return failed(`The demo failed: ${step.title}: ${broken}`);
  }
  const posts_out = server.postsOfMine() - before;
  if (posts_out !== POSTS_OUT) return failed(`The demo failed: ${posts_out} posts are out.`);
  const spent_usd = Math.round(server.spentUsd() * 1e6) / 1e6;
  await presenter.say(
    `That was ${posts_out} posts, each of them once, for ${dollars(spent_usd)} by X's price list.`,
  );
  presenter.heading(
    "Next: `tuitbot init` for your own account, or `tuitbot mcp setup --sandbox` to continue here",
  );
  return ok({ steps: STEPS.map(({ title }) => title), posts_out, spent_usd });
}

interface Step {
  readonly title: string;
  /** The step, and why it matters. */
  readonly explanation: string;
  /** Returns what went wrong, if anything. */
  readonly run: (presenter: Presenter) => Promise<string | undefined>;
}

const THREAD = [
  "Three things about sourdough that took me a year:",
  "1. Warm water matters more than the flour.",
  "2. A lazy fold is still a fold.",
  "3. Write down what you did, or you will never do it again.",
];

/** A reply, a post and the thread. */
const POSTS_OUT = 2 + THREAD.length;

const STEPS: readonly Step[] = [
  {
    title: "Discover",
    explanation: "An agent looks for conversations worth joining. tuitbot scores and stores what it finds.",
    async run(presenter) {
      const found = await presenter.call("find_reply_opportunities", { min_score: 40, limit: 10 });
      const [best] = listIn(objectIn(found.data), "candidates").map((one) => objectIn(one));
      if (best === undefined) return "nothing was found";
      presenter.candidate = textIn(best, "id") ?? "";
      await presenter.say(
        `The best, ${numberIn(best, "score_total")} of 100, by ${textIn(best, "author")}: “${textIn(best, "text")}”`,
      );
      return undefined;
    },
  },
  {
    title: "Draft",
    explanation:
      "The agent drafts a reply and a post. Here the texts come from a table; with llm.provider set, a model writes them.",
    async run(presenter) {
      const drafted = await presenter.call("draft_replies_for_candidates", {
        candidate_ids: [presenter.candidate],
      });
      const [reply] = listIn(objectIn(drafted.data), "drafts").map((one) => objectIn(one));
      presenter.reply = textIn(reply ?? {}, "draft_text") ?? "";
      if (presenter.reply === "") return "no reply was written";
      await presenter.say(`The reply: “${presenter.reply}”`);
      const composed = await presenter.call("compose_tweet", { topic: "sourdough", format: "tip" });
      presenter.draft = numberIn(objectIn(composed.data), "draft_id") ?? 0;
      return composed.success ? undefined : "no post was written";
    },
  },
  {
    title: "Queue",
    explanation: "By default, everything that is published needs your approval. These two wait.",
    async run(presenter) {
      const items = [{ candidate_id: presenter.candidate, pre_drafted_text: presenter.reply }];
      const proposed = await presenter.call("propose_and_queue_replies", { items });
      const [result] = listIn(objectIn(proposed.data), "results").map((one) => objectIn(one));
      const published = await presenter.call("publish_draft", { id: presenter.draft });
      presenter.waiting = [
        numberIn(result ?? {}, "approval_queue_id"),
        numberIn(objectIn(published.data), "approval_queue_id"),
      ].filter((item) => item !== undefined);
      return presenter.waiting.length === 2 ? undefined : "they do not wait";
    },
  },
  {
    title: "Approve and publish",
    explanation:
      "You see the exact text and approve it, in the client or with `tuitbot approve`. Then it is sent, once.",
    async run(presenter) {
      for (const item of presenter.waiting) {
        if (!(await presenter.server.approve(item)).ok) return `item ${item} is not out`;
        await presenter.say(`You approve item ${item}: it is posted.`);
      }
      const found = await presenter.call("get_draft", { id: presenter.draft });
      return textIn(objectIn(found.data), "status") === "published"
        ? undefined
        : "the draft is not published";
    },
  },
  {
    title: "A rate limit",
    explanation:
      "X refuses further searches. The answer has the time to wait, and tuitbot does not retry by itself.",
    async run(presenter) {
      presenter.server.limitSearches();
      const limited = await presenter.call("x_search_tweets", { query: "rye" });
      return limited.error?.code === "x_rate_limited" ? undefined : "it was not limited";
    },
  },
  {
    title: "A thread that fails in the middle",
    explanation: "X fails at the third of four posts. Two are posted.",
    async run(presenter) {
      presenter.server.failThirdPost();
      const queued = await presenter.call("x_post_thread", { tweets: THREAD });
      const item = numberIn(objectIn(queued.data), "approval_queue_id");
      if (item === undefined) return "it does not wait";
      const cut = await presenter.server.approve(item);
      if (cut.ok || cut.failure.code !== "thread_partial_failure") return "it was not cut";
      await presenter.say(`You approve item ${item}: ${cut.failure.code}. ${cut.failure.message}`);
      await presenter.step(
        "The thread, resumed",
        "You approve it again. It continues at the third post, and nothing is posted twice.",
      );
      if (!(await presenter.server.approve(item)).ok) return "it could not be resumed";
      await presenter.say(`You approve item ${item}: it is posted.`);
      await presenter.step(
        "A duplicate, refused",
        "Agents repeat a call when the answer is slow. The same call is refused.",
      );
      const again = await presenter.call("x_post_thread", { tweets: THREAD });
      return again.error?.reason === "duplicate_request" ? undefined : "it was not refused";
    },
  },
  {
    title: "Measure",
    explanation: "A day passes. tuitbot measures each post once and suggests what to write about next.",
    async run(presenter) {
      const measured = await presenter.server.advanceDay();
      if (measured < 3) return `${measured} posts were measured`;
      const stats = await presenter.call("get_stats", {});
      const { avg_tweet_engagement, avg_reply_engagement } = objectIn(stats.data);
      await presenter.say(
        `${measured} posts were measured: posts score ${avg_tweet_engagement}, replies ${avg_reply_engagement}, per thousand who saw them.`,
      );
      const next = await presenter.call("suggest_topics", { count: 2 });
      return next.success ? undefined : "no topic was suggested";
    },
  },
];

/** Prints what happens, slowly enough to read. */
class Presenter {
  /** Results of earlier steps: a post found, a reply to it, a draft, and the items that wait for approval. */
  candidate = "";
  reply = "";
  draft = 0;
  waiting: readonly number[] = [];
  readonly server: DemoServer;
  readonly #terminal: Terminal;
  readonly #pause: Pause;

  constructor(terminal: Terminal, pause: Pause, server: DemoServer) {
    this.#terminal = terminal;
    this.#pause = pause;
    this.server = server;
  }

  heading(text: string): void {
    this.#terminal.out(`\n${paint(this.#terminal, "bold", text)}\n`);
  }

  async step(title: string, text: string): Promise<void> {
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
    const envelope = await this.server.call(tool, args);
    const style = envelope.success ? "green" : "yellow";
    this.#terminal.out(`  ${paint(this.#terminal, style, `← ${summary(envelope)}`)}\n`);
    await this.#pause(READING_MS);
    return envelope;
  }
}

const READING_MS = 2_000;
const CALLING_MS = 600;

/** The envelope in a few lines, for the person watching. */
function summary({ data, error, meta }: Answer): string {
  const spent = numberIn(objectIn(meta?.cost), "settled_usd");
  const cost = spent === undefined ? "" : `  ${dollars(spent)}`;
  if (error === undefined) return `success ${short(JSON.stringify(data))}${cost}`;
  const reason = error.reason === undefined ? "" : `, ${error.reason}`;
  const wait = error.retry_after_ms === undefined ? "" : ` Wait ${Math.ceil(error.retry_after_ms / 1000)} s.`;
  return `${error.code}${reason}, ${error.retryable ? "retryable" : "not retryable"}\n    ${error.message}${wait}\n    ${error.suggested_fix ?? ""}`;
}

/** Shortens a text to fit on one line with the tool's name. */
function short(text: string): string {
  const points = [...text];
  return points.length <= 72 ? text : `${points.slice(0, 72).join("")}…`;
}
