import { ok } from "@toolpact/contract";
import { sharesRun } from "../injection/repeats.ts";
import type { Assignment } from "./assignment.ts";
import type { Archetype, Format, Structure } from "./frameworks.ts";
import type { Llm } from "./llm.ts";
import { SEPARATOR } from "./prompt.ts";

/** From a table, always in the same order. */
export function standIn(): Llm {
  let written = 0;
  return {
    writer: { provider: "sandbox", model: "stand-in", isStandIn: true },
    async write(assignment) {
      const isRepeated = (text: string) => assignment.examples.some((example) => sharesRun(text, example));
      let text = textFor(assignment, written++);
      // Its earlier texts return as examples, and must not be repeated.
      for (let tries = 1; tries < MAX_TRIES && isRepeated(text); tries++)
        text = textFor(assignment, written++);
      return ok({ text, isCut: false, inputTokens: 0, outputTokens: 0, costMicros: 0 });
    },
  };
}

/** Every opening with every ending. */
const MAX_TRIES = 40;

function textFor(assignment: Assignment, nth: number): string {
  switch (assignment.purpose) {
    case "tweet":
      return `${opening(TWEETS, assignment.framework, nth).replaceAll("{topic}", assignment.topic)} ${pick(ENDINGS, nth)}`;
    case "reply":
      return `${opening(REPLIES, assignment.framework, nth)} ${pick(REPLY_ENDINGS, nth)}`;
    case "thread":
      return [
        opening(THREADS, assignment.framework, nth).replaceAll("{topic}", assignment.topic),
        ...[0, 1, 2].map((step) => `${step + 1}. ${pick(STEPS, nth + step)}`),
        pick(ENDINGS, nth),
      ]
        .slice(0, assignment.size[1])
        .join(`\n${SEPARATOR}\n`);
  }
}

/** Endings change first, then openings: this covers all pairs. */
function opening({ texts, spare }: Openings, framework: string, nth: number): string {
  const own = texts[framework] ?? Object.values(texts)[0] ?? [];
  return pick([...own, ...spare], Math.floor(nth / ENDINGS.length));
}

function pick(texts: readonly string[], nth: number): string {
  return texts[nth % texts.length] ?? "";
}

const FORMAT_TEXTS: Readonly<Record<Format, readonly string[]>> = {
  list: ["{topic}, in short: begin small, change one thing at a time, write it down."],
  contrarian_take: ["Unpopular: {topic} needs less gear than the shops say."],
  most_people_think_x: ["Most people think {topic} is a gift. It is mostly practice."],
  storytelling: ["My first try at {topic} went wrong, and it taught me more than the tenth that went well."],
  before_after: ["Before: guessing at {topic}. After: a page of notes, and far fewer bad days."],
  question: ["What do you wish somebody had told you sooner about {topic}?"],
  tip: ["A tip on {topic}: do it at the same hour every day for a week before you judge it."],
};

const ARCHETYPE_TEXTS: Readonly<Record<Archetype, readonly string[]>> = {
  agree_and_expand: [
    "Yes, and it gets easier once the routine is there.",
    "So true, and patience does half of the work.",
  ],
  ask_question: ["What made the biggest difference for you?", "How long did it take until that worked?"],
  share_experience: [
    "Same here: my third attempt was the first good one.",
    "I once gave up a week too early on this.",
  ],
  add_data: ["Temperature tends to matter more than time here.", "A few degrees can halve the waiting."],
  respectful_disagree: [
    "I see it a little differently: slow is often fine.",
    "Not sure about that part; rest helps too.",
  ],
};

const STRUCTURE_TEXTS: Readonly<Record<Structure, readonly string[]>> = {
  transformation: ["A year of {topic}: where it began, what changed, where it stands."],
  framework: ["How I go about {topic}, one step at a time:"],
  mistakes: ["Mistakes with {topic} that nearly everyone makes, and what helps:"],
  analysis: ["{topic}, taken apart: what it is and why it works."],
};

interface Openings {
  readonly texts: Readonly<Record<string, readonly string[]>>;
  /** Too short to count as repetitions. */
  readonly spare: readonly string[];
}

const TWEETS: Openings = { texts: FORMAT_TEXTS, spare: ["On {topic}:", "About {topic}:"] };
const REPLIES: Openings = { texts: ARCHETYPE_TEXTS, spare: ["Good point.", "Well put."] };
const THREADS: Openings = { texts: STRUCTURE_TEXTS, spare: ["{topic}, step by step:"] };

const STEPS = [
  "Begin with less than you think you need.",
  "Change one thing, then wait and look.",
  "Write down what you did while you still know it.",
  "Keep what worked, even if you cannot say why.",
  "Ask somebody who has done it longer.",
];

const ENDINGS = [
  "Small steps, kept up, beat one big push.",
  "Notes are worth more than memory here.",
  "The second week is where it turns.",
  "Nobody sees the attempts before the good one.",
  "It is fine to be bad at it for a while.",
  "A calm kitchen is half of it.",
  "Less hurry, more looking.",
  "That is all there is to it, and it takes a month.",
  "Try it once and tell me how it went.",
];

const REPLY_ENDINGS = [
  "Keeping notes helped me more than any recipe.",
  "Curious how it goes next time around.",
  "Mornings worked best in our kitchen.",
  "Would love to read how you got there.",
  "The next batch will show.",
  "That is the part nobody writes about.",
  "Thanks for putting it so plainly.",
];
