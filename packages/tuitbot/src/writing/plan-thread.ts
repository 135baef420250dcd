import { type Failure, type Outcome, ok } from "@toolpact/contract";
import type { Structure } from "./frameworks.ts";
import { draftThread, type ThreadRequest, type WritingContext } from "./write.ts";

export interface ThreadPlan {
  readonly texts: readonly string[];
  readonly structure: Structure;
  readonly hook: { readonly type: Hook; readonly preview: string };
  readonly objective: string;
  readonly audience: string;
  readonly relevance: "matches_industry_topics" | "novel_topic";
}

export type Hook = "question" | "contrarian" | "story" | "statement";

/** With its kind of opening and its topic. */
export async function planThread(
  context: WritingContext,
  ask: ThreadRequest,
  signal: AbortSignal,
): Promise<Outcome<ThreadPlan, Failure<"llm_error">>> {
  const written = await draftThread(context, ask, signal);
  if (!written.ok) return written;
  const { texts, structure } = written.value;
  const [first = ""] = texts;
  const isKnown = isAbout(ask.topic, context.config.business.industry_topics);
  return ok({
    texts,
    structure,
    hook: { type: hookOf(first), preview: first },
    objective: ask.objective ?? "general engagement",
    audience: ask.audience ?? "general",
    relevance: isKnown ? "matches_industry_topics" : "novel_topic",
  });
}

function hookOf(text: string): Hook {
  const words = text.trim();
  if (words.endsWith("?")) return "question";
  if (/^(most people|everyone)\b/i.test(words)) return "contrarian";
  return /^I['’ ]/.test(words) ? "story" : "statement";
}

function isAbout(topic: string, known: readonly string[]): boolean {
  const asked = topic.toLowerCase();
  return known.some((one) => asked.includes(one.toLowerCase()) || one.toLowerCase().includes(asked));
}
