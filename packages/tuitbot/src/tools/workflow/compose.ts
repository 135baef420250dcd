import { type Failure, type Outcome, ok } from "@toolpact/contract";
import * as z from "zod";
import { draftShape, draftView } from "../../drafts/draft-view.ts";
import { createDraft, type NewDraft } from "../../drafts/store-draft.ts";
import { writeUp } from "../../profiles.ts";
import { FORMATS, namesOf } from "../../writing/frameworks.ts";
import { writerName, writtenBy, writtenByShape } from "../../writing/llm.ts";
import { draftThread, draftTweet, type WritingContext } from "../../writing/write.ts";
import { APPS, defineTool } from "../product.ts";
import { writingContext } from "./writing-context.ts";

const composed = z.object({ ...draftShape, ...writtenByShape });
const THREAD = "thread";

export const composeTweet = defineTool({
  name: "compose_tweet",
  searchWords: "have a draft written by the model, AI writes a draft",
  app: APPS.postPreview,
  facts: { isLocal: true },
  title: "Compose a draft",
  description:
    "Write a post or thread with the language model and store it as a draft. Nothing is sent: go on with edit_draft, schedule_draft or publish_draft.",
  category: "write",
  effect: "create",
  openWorld: true,
  profiles: writeUp,
  deadlineMs: 240_000,
  needs: ["llm", "db", "config", "workflow"],
  errors: ["llm_error", "invalid_input", "db_error"],
  input: z.strictObject({
    topic: z.string().trim().min(1).max(500).describe("Such as error handling in Rust"),
    format: z
      .enum([...namesOf(FORMATS), THREAD])
      .optional()
      .describe("Form of the post; chosen where left out"),
  }),
  output: composed,
  handler: async ({ topic, format }, { signal, ...services }) => {
    const context = writingContext(services);
    const written = await compose(context, topic, format, signal);
    if (!written.ok) return written;
    const draft = await createDraft(context, written.value);
    return ok({ ...draftView(draft), ...writtenBy(context.llm.writer) });
  },
});

async function compose(
  context: WritingContext,
  topic: string,
  format: keyof typeof FORMATS | typeof THREAD | undefined,
  signal: AbortSignal,
): Promise<Outcome<NewDraft, Failure<"llm_error">>> {
  const writer = writerName(context.llm.writer);
  if (format === THREAD) {
    const thread = await draftThread(context, { topic }, signal);
    return thread.ok
      ? ok({ texts: thread.value.texts, topic, framework: thread.value.structure, writer })
      : thread;
  }
  const post = await draftTweet(context, { topic, format }, signal);
  return post.ok ? ok({ texts: [post.value.text], topic, framework: post.value.format, writer }) : post;
}
