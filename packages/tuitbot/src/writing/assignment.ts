import type { Config } from "../config/schema.ts";
import { ownMaterial } from "../injection/own-material.ts";

/** A text to write. A language model gets it as a prompt, the sandbox's stand-in as an object. */
export type Assignment = TweetAssignment | ReplyAssignment | ThreadAssignment;

export type Purpose = Assignment["purpose"];

export interface TweetAssignment extends Common {
  readonly purpose: "tweet";
  readonly topic: string;
}

export interface ReplyAssignment extends Common {
  readonly purpose: "reply";
  /** Untrusted: written by somebody else. */
  readonly post: StrangersPost;
  /** Posts of this account that answer nobody. */
  readonly ownPosts: readonly string[];
}

export interface ThreadAssignment extends Common {
  readonly purpose: "thread";
  readonly topic: string;
  /** Fewest and most posts. */
  readonly size: readonly [least: number, most: number];
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
  /** Posts of this account that did well, as examples of tone. */
  readonly examples: readonly string[];
  /** Why the previous text was rejected. */
  readonly refusedFor?: string | undefined;
}

/** Everything that the operator, the account and the caller wrote, in lower case. A text may use what is in it. */
export function ownWords(assignment: Assignment): string {
  const { business, mentionProduct, purpose } = assignment;
  const request =
    purpose === "reply"
      ? assignment.ownPosts
      : [assignment.topic, ...(purpose === "thread" ? [assignment.objective, assignment.audience] : [])];
  return [ownMaterial(business), ...(mentionProduct ? [business.product_url] : []), ...request]
    .filter((part) => part !== undefined)
    .join("\n")
    .toLowerCase();
}
