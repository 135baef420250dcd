import type { Config } from "../config/schema.ts";

/** What somebody is asked to write. A model gets it as a prompt, the sandbox's stand-in as it is. */
export type Assignment = TweetAssignment | ReplyAssignment | ThreadAssignment;

export type Purpose = Assignment["purpose"];

export interface TweetAssignment extends Common {
  readonly purpose: "tweet";
  readonly topic: string;
}

export interface ReplyAssignment extends Common {
  readonly purpose: "reply";
  /** What somebody else wrote: data, whatever it says. */
  readonly post: StrangersPost;
}

export interface ThreadAssignment extends Common {
  readonly purpose: "thread";
  readonly topic: string;
  readonly objective?: string | undefined;
  readonly audience?: string | undefined;
}

export interface StrangersPost {
  readonly author: string;
  readonly text: string;
}

interface Common {
  readonly business: Config["business"];
  /** Name of the archetype, format or structure. */
  readonly framework: string;
  readonly instruction: string;
  /** Whether the text may name the product and link to it. */
  readonly mentionProduct: boolean;
  /** Own posts that did well, to take the tone from. */
  readonly examples: readonly string[];
  /** Why the text that was handed in before was not taken. */
  readonly refusedFor?: string | undefined;
}

/** Everything the operator and the caller said themselves, in lower case. What is in it was asked for. */
export function ownWords(assignment: Assignment): string {
  const { business, mentionProduct, purpose } = assignment;
  const request =
    purpose === "reply"
      ? []
      : [assignment.topic, ...(purpose === "thread" ? [assignment.objective, assignment.audience] : [])];
  return [
    business.product_name,
    business.product_description,
    business.target_audience,
    business.brand_voice,
    business.reply_style,
    business.content_style,
    ...business.persona_opinions,
    ...business.persona_experiences,
    ...business.content_pillars,
    ...business.industry_topics,
    ...business.product_keywords,
    ...(mentionProduct ? [business.product_url] : []),
    ...request,
  ]
    .filter((part) => part !== undefined)
    .join("\n")
    .toLowerCase();
}
