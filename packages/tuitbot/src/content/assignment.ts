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
  /** The text that was handed in before, and why it was not taken. */
  readonly refused?: Refused | undefined;
}

export interface Refused {
  readonly answer: string;
  readonly reason: string;
}
