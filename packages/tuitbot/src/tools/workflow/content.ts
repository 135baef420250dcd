import { ok } from "@toolpact/contract";
import * as z from "zod";
import { writeUp } from "../../profiles.ts";
import { namesOf, STRUCTURES } from "../../writing/frameworks.ts";
import { writtenBy, writtenByShape } from "../../writing/llm.ts";
import { planThread } from "../../writing/plan-thread.ts";
import { chooseTopic, suggestTopics } from "../../writing/topics.ts";
import { draftReply, draftThread, draftTweet, mentionsUser } from "../../writing/write.ts";
import { handle } from "../../x/ids.ts";
import { APPS, defineTool } from "../product.ts";
import { writingContext } from "./writing-context.ts";

/** Two texts of a slow model, with repeats. */
const WRITING_MS = 240_000;

const writing = {
  category: "content",
  effect: "none",
  openWorld: true,
  profiles: writeUp,
  deadlineMs: WRITING_MS,
} as const;

const topic = z.string().trim().min(1).max(500);
const ownTopic = topic
  .optional()
  .describe("Such as error handling in Rust; one of your topics where left out");
const char_count = z.number().describe("Weighted characters, at most 280");

export const generateTweet = defineTool({
  ...writing,
  name: "generate_tweet",
  searchWords: "let the model write a post, generate a tweet text",
  app: APPS.postPreview,
  title: "Write a post",
  description:
    "Let the server's language model write a post; you are a model too, so rather write it yourself with create_draft. It is neither stored nor sent; to store it use compose_tweet.",
  needs: ["llm", "db", "config", "workflow"],
  errors: ["llm_error", "invalid_input", "db_error"],
  input: z.strictObject({ topic: ownTopic }),
  output: z.object({
    tweet: z.string(),
    char_count,
    topic: z.string(),
    format: z.string(),
    ...writtenByShape,
  }),
  handler: async ({ topic }, { signal, ...services }) => {
    const context = writingContext(services);
    const about = topic === undefined ? await chooseTopic(context, "tweet") : ok(topic);
    if (!about.ok) return about;
    const written = await draftTweet(context, { topic: about.value }, signal);
    if (!written.ok) return written;
    const { text, weightedLength, format, writer } = written.value;
    return ok({
      tweet: text,
      char_count: weightedLength,
      topic: about.value,
      format,
      ...writtenBy(writer),
    });
  },
});

export const generateReply = defineTool({
  ...writing,
  name: "generate_reply",
  searchWords: "let the model write a reply",
  app: APPS.postPreview,
  title: "Write a reply",
  description:
    "Write a reply to a post with the language model and return it. Nothing is sent. Where X would refuse the reply on your plan, none is written.",
  needs: ["llm", "db", "config", "workflow", "server"],
  errors: ["llm_error", "x_forbidden", "invalid_input", "db_error"],
  input: z.strictObject({
    tweet_text: z.string().trim().min(1).max(25_000).describe("Text of the post to answer"),
    tweet_author: handle.describe("Such as @XDevelopers"),
    mention_product: z.boolean().default(false).describe("true: the reply may name your product"),
  }),
  output: z.object({ reply: z.string(), char_count, archetype: z.string(), ...writtenByShape }),
  handler: async ({ tweet_text, tweet_author, mention_product }, { signal, server, ...services }) => {
    const context = writingContext(services);
    const post = { author: tweet_author, text: tweet_text };
    const me = context.access.plan === "enterprise" ? undefined : await server.connection(signal);
    const isSummoned = me?.status === "ok" && mentionsUser(tweet_text, me.me.username);
    const written = await draftReply(context, { post, isSummoned, mentionProduct: mention_product }, signal);
    if (!written.ok) return written;
    const { text, weightedLength, archetype, writer } = written.value;
    return ok({ reply: text, char_count: weightedLength, archetype, ...writtenBy(writer) });
  },
});

export const generateThread = defineTool({
  ...writing,
  name: "generate_thread",
  searchWords: "let the model write a thread",
  app: APPS.postPreview,
  title: "Write a thread",
  description:
    "Let the server's language model write a thread of 4 to 8 posts; you are a model too, so rather write it yourself with create_draft. It is neither stored nor sent.",
  needs: ["llm", "db", "config", "workflow"],
  errors: ["llm_error", "invalid_input", "db_error"],
  input: z.strictObject({ topic: ownTopic }),
  output: z.object({
    thread: z.array(z.string()),
    tweet_count: z.number(),
    topic: z.string(),
    structure: z.string(),
    ...writtenByShape,
  }),
  handler: async ({ topic }, { signal, ...services }) => {
    const context = writingContext(services);
    const about = topic === undefined ? await chooseTopic(context, "thread") : ok(topic);
    if (!about.ok) return about;
    const written = await draftThread(context, { topic: about.value }, signal);
    if (!written.ok) return written;
    const { texts, structure, writer } = written.value;
    return ok({
      thread: [...texts],
      tweet_count: texts.length,
      topic: about.value,
      structure,
      ...writtenBy(writer),
    });
  },
});

export const generateThreadPlan = defineTool({
  ...writing,
  name: "generate_thread_plan",
  searchWords: "outline a thread, plan a thread for an audience",
  title: "Plan a thread",
  description:
    "Write a thread for an aim and an audience, with an analysis of its opening and what to expect. It is neither stored nor sent.",
  category: "composite",
  needs: ["llm", "db", "config", "workflow"],
  errors: ["llm_error", "invalid_input", "db_error"],
  input: z.strictObject({
    topic: topic.describe("Such as error handling in Rust"),
    objective: z
      .string()
      .trim()
      .min(1)
      .max(300)
      .optional()
      .describe("What it should achieve, such as more sign-ups"),
    target_audience: z
      .string()
      .trim()
      .min(1)
      .max(300)
      .optional()
      .describe("For whom it is, such as backend developers"),
    structure: z.enum(namesOf(STRUCTURES)).optional().describe("Chosen where left out"),
  }),
  output: z.object({
    thread_tweets: z.array(z.string()),
    tweet_count: z.number(),
    structure_used: z.string(),
    hook_analysis: z.object({ type: z.string(), first_tweet_preview: z.string() }),
    objective_alignment: z.string(),
    target_audience: z.string(),
    topic_relevance: z.string(),
    ...writtenByShape,
  }),
  handler: async ({ topic, objective, target_audience, structure }, { signal, ...services }) => {
    const ask = { topic, objective, audience: target_audience, structure };
    const planned = await planThread(writingContext(services), ask, signal);
    if (!planned.ok) return planned;
    const { texts, hook, relevance, audience, ...plan } = planned.value;
    return ok({
      thread_tweets: [...texts],
      tweet_count: texts.length,
      structure_used: plan.structure,
      hook_analysis: { type: hook.type, first_tweet_preview: hook.preview },
      objective_alignment: plan.objective,
      target_audience: audience,
      topic_relevance: relevance,
      ...writtenBy(services.llm.writer),
    });
  },
});

export const suggestTopicsTool = defineTool({
  name: "suggest_topics",
  searchWords:
    "ideas for posts, what should I write about, what should I tweet, content ideas, topic suggestions",
  title: "Suggest topics",
  description:
    "Suggest topics to write about: those that performed best, then those of your profile that were never tried.",
  category: "content",
  effect: "none",
  openWorld: false,
  profiles: writeUp,
  needs: ["db", "config"],
  errors: ["db_error"],
  input: z.strictObject({ count: z.int().min(1).max(50).default(10).describe("At most so many topics") }),
  output: z.object({
    topics: z.array(
      z.object({
        topic: z.string(),
        format: z.string().nullable().describe("Format in which it performed best"),
        total_posts: z.number(),
        avg_performance: z.number().nullable(),
        because: z.enum(["performance", "profile"]),
      }),
    ),
  }),
  handler: async ({ count }, { db, config }) => ok({ topics: await suggestTopics(db, config.values, count) }),
});
