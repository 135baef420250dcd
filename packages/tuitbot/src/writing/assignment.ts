import type { Config } from "../config/schema.ts";
import { ownMaterial } from "../injection/own-material.ts";

/** A prompt for a model, an object for the sandbox's stand-in. */
export type Assignment = TweetAssignment | ReplyAssignment | ThreadAssignment;

export type Purpose = Assignment["purpose"];

export interface TweetAssignment extends Common {
  readonly purpose: "tweet";
  readonly topic: string;
}

export interface ReplyAssignment extends Common {
  readonly purpose: "reply";
  /** Written by somebody else. */
  readonly post: StrangersPost;
  /** They answer nobody. */
  readonly ownPosts: readonly string[];
}

export interface ThreadAssignment extends Common {
  readonly purpose: "thread";
  readonly topic: string;
  /** Posts. */
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
  /** An archetype, format or structure. */
  readonly framework: string;
  readonly instruction: string;
  /** With a link. */
  readonly mentionProduct: boolean;
  /** They did well, and show the tone. */
  readonly examples: readonly string[];
  readonly refusedFor?: string | undefined;
}

/** Lower case. A text may use all of it. */
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
