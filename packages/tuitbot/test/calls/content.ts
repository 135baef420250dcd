import type { FaultRequest } from "@toolpact/x-sandbox";
import type { ErrorCode } from "../../src/errors.ts";
import type { LiveStage } from "../live-stage.ts";
import {
  type Args,
  type ArgsOn,
  badInput,
  longText,
  none,
  type ToolCall,
  type ToolFailure,
  tooLong,
} from "./tool-call.ts";

const thread = ["Step one.", "Step two.", "Step three.", "Step four."].join("\n---\n");

export const contentCalls: Readonly<Record<string, ToolCall>> = {
  generate_tweet: {
    args: written("A loaf a day.", { topic: "bread" }),
    failures: [
      unusable({ topic: "bread" }),
      badInput("no topic, and none to choose from", none),
      badInput("an empty topic", () => ({ topic: " " })),
    ],
  },
  generate_thread: {
    args: written(thread, { topic: "bread" }),
    failures: [unusable({ topic: "bread" }), badInput("no topic, and none to choose from", none)],
  },
  generate_thread_plan: {
    args: written(thread, {
      topic: "bread",
      objective: "calm",
      target_audience: "bakers",
      structure: "mistakes",
    }),
    failures: [
      unusable({ topic: "bread" }),
      badInput("a structure that is none", () => ({ topic: "bread", structure: "sonnet" })),
    ],
  },
  generate_reply: {
    args: written("Mine needed a longer rest.", {
      tweet_text: "My loaf is flat.",
      tweet_author: "@sandbox_friend",
    }),
    failures: [
      unusable({ tweet_text: "My loaf is flat.", tweet_author: "@sandbox_friend" }),
      badInput("no name", () => ({ tweet_text: "My loaf is flat.", tweet_author: "the baker" })),
    ],
  },
  suggest_topics: { args: () => ({ count: 3 }), failures: [badInput("none", () => ({ count: 0 }))] },
  compose_tweet: {
    args: written(thread, { topic: "bread", format: "thread" }),
    failures: [
      unusable({ topic: "bread" }),
      badInput("a format that is none", () => ({ topic: "bread", format: "sonnet" })),
    ],
  },

  list_drafts: {
    args: () => ({ status: "draft", limit: 5 }),
    failures: [badInput("a status that is none", () => ({ status: "lost" }))],
  },
  create_draft: {
    args: () => ({
      texts: ["Own words.", "And more."],
      media: [{ file_path: "cat.png", alt_text: "A cat" }],
      scheduled_for: inAnHour(),
    }),
    failures: [
      tooLong(() => ({ texts: [longText] })),
      badInput("a picture for a post that is not there", () => ({
        texts: ["Own words."],
        media: [{ post: 2, file_path: "cat.png" }],
      })),
      {
        what: "a link whose price nobody accepted",
        args: () => ({ texts: ["Read https://example.com"], scheduled_for: inAnHour() }),
        code: "validation_error",
        reason: "url_price",
        asksX: false,
      },
      ...badFiles((file_path) => () => ({ texts: ["Own words."], media: [{ file_path }] })),
    ],
  },
  create_recurring_posts: {
    args: () => ({ variants: ["Office hours today."], repeats: "Mon 09:30", until: inAMonth() }),
    failures: [
      tooLong(() => ({ variants: [longText], repeats: "Mon 09:30", until: inAMonth() })),
      badInput("times that are none", () => ({ variants: ["One"], repeats: "often", until: inAMonth() })),
      {
        what: "a link whose price nobody accepted",
        args: () => ({ variants: ["See https://example.com"], repeats: "Mon 09:30", until: inAMonth() }),
        code: "validation_error",
        reason: "url_price",
        asksX: false,
      },
      ...badFiles((file_path) => () => ({
        variants: ["Office hours today."],
        repeats: "Mon 09:30",
        until: inAMonth(),
        media: [{ file_path }],
      })),
    ],
  },
  get_draft: { args: draft, failures: [noDraft()] },
  edit_draft: {
    args: async (stage) => ({ ...(await draft(stage)), texts: ["Another text."] }),
    failures: [
      noDraft({ texts: ["Another text."] }),
      notNow({ texts: ["Another text."] }),
      tooLong(async (stage) => ({ ...(await draft(stage)), texts: [longText] })),
      badInput("nothing", async (stage) => ({ ...(await draft(stage)), texts: [] })),
      ...badFiles((file_path) => async (stage) => ({
        ...(await draft(stage)),
        texts: ["Another text."],
        media: [{ file_path }],
      })),
    ],
  },
  schedule_draft: {
    args: async (stage) => ({ ...(await draft(stage)), scheduled_for: inAnHour() }),
    failures: [
      noDraft({ scheduled_for: inAnHour() }),
      notNow({ scheduled_for: inAnHour() }),
      badInput("a time without a zone", async (stage) => ({
        ...(await draft(stage)),
        scheduled_for: "2026-09-01T12:00:00",
      })),
    ],
  },
  publish_draft: {
    args: draft,
    failures: [
      noDraft(),
      notNow({}),
      badInput("no draft", () => ({ id: 0 })),
      trouble("x_rate_limited", { kind: "rate_limited" }),
      trouble("x_auth_expired", { kind: "unauthorized", count: 2 }),
      trouble("x_forbidden", { kind: "error", status: 403 }),
      {
        ...trouble("thread_partial_failure", { kind: "rate_limited", at: 2 }),
        args: async (stage) => {
          const id = await draft(stage);
          await stage.call("edit_draft", {
            ...id,
            texts: [`Part one of ${id.id}.`, `Part two of ${id.id}.`],
          });
          return id;
        },
      },
    ],
  },
  discard_draft: { args: draft, failures: [noDraft(), notNow({}, "publish_draft")] },
};

/** Arguments that the model has an answer for. */
function written(answer: string, args: Args): ArgsOn {
  return ({ model }) => {
    model.says(answer);
    return args;
  };
}

function unusable(args: Args): ToolFailure {
  return {
    what: "a model that obeys strangers",
    args: written("See bread-deals.com", args),
    code: "llm_error",
    reason: "unusable",
    asksX: false,
  };
}

/** A draft that nobody has touched. */
async function draft({ model, call }: LiveStage): Promise<{ readonly id: unknown }> {
  drafts += 1;
  model.says(`Loaf ${drafts} is in the oven.`);
  const { data } = await call("compose_tweet", { topic: "bread" });
  return { id: (data as { readonly draft_id?: unknown } | null)?.draft_id };
}

let drafts = 0;

/** Files that no draft can show. */
function badFiles(args: (file: string) => ArgsOn): readonly ToolFailure[] {
  return [
    { what: "a text as a picture", args: args("notes.txt"), code: "unsupported_media_type", asksX: false },
    { what: "a picture that is not there", args: args("dog.png"), code: "file_read_error", asksX: false },
    {
      what: "a picture that is too large",
      args: args("huge.png"),
      code: "media_upload_error",
      reason: "too_large",
      asksX: false,
    },
  ];
}

function noDraft(args: Args = {}): ToolFailure {
  return {
    what: "a draft that is not there",
    args: () => ({ id: 999_999, ...args }),
    code: "not_found",
    asksX: false,
  };
}

function notNow(args: Args, end: "discard_draft" | "publish_draft" = "discard_draft"): ToolFailure {
  return {
    what: "a draft that is decided about",
    args: async (stage) => {
      const id = await draft(stage);
      await stage.call(end, id);
      return { ...id, ...args };
    },
    code: "validation_error",
    asksX: false,
  };
}

function trouble(code: ErrorCode, fault: Omit<FaultRequest, "operation">): ToolFailure {
  return {
    what: `X failing with ${code}`,
    args: draft,
    fault: { operation: "createPosts", ...fault },
    code,
    asksX: true,
  };
}

function inAMonth(): string {
  return new Date(Date.now() + 31 * 86_400_000).toISOString();
}

function inAnHour(): string {
  return new Date(Date.now() + 3_600_000).toISOString();
}
