import { objectIn } from "../x/shapes/x-object.ts";

/** The latest texts of other people that an agent was shown by this process. */
export interface ReadTexts {
  /** Adds every text in the answer of a read. */
  readonly add: (answer: unknown) => void;
  /** Newest last. */
  readonly all: () => readonly string[];
}

/** A page of posts is ten by default; an agent that posts has rarely read more pages before. */
const MAX_TEXTS = 100;
/** The beginning of a longer text is enough to recognize a copy. */
const MAX_LENGTH = 2_000;

export function readTexts(): ReadTexts {
  const texts = new Set<string>();
  return {
    add(answer) {
      for (const text of textsIn(answer)) {
        const kept = text.slice(0, MAX_LENGTH);
        // A text that is read again counts as new.
        texts.delete(kept);
        texts.add(kept);
        const [oldest] = texts;
        if (texts.size > MAX_TEXTS && oldest !== undefined) texts.delete(oldest);
      }
    },
    all: () => [...texts],
  };
}

/** Posts and messages have their words in `text`, people in `description`, in every format. */
const TEXTS = new Set(["text", "description"]);

function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(objectIn(value)).flatMap(([name, member]) =>
    typeof member === "string" ? (TEXTS.has(name) && member !== "" ? [member] : []) : textsIn(member),
  );
}
