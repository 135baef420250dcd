import { objectIn } from "../x/shapes/x-object.ts";

/** By other people, shown by this process. */
export interface ReadTexts {
  /** From a read's answer. */
  readonly add: (answer: unknown) => void;
  /** Newest last. */
  readonly all: () => readonly string[];
}

/** A page has ten by default, and agents rarely read more before they post. */
const MAX_TEXTS = 100;
/** A copy is recognizable by its beginning. */
const MAX_LENGTH = 2_000;

export function readTexts(): ReadTexts {
  const texts = new Set<string>();
  return {
    add(answer) {
      for (const text of textsIn(answer)) {
        const kept = text.slice(0, MAX_LENGTH);
        // Read again, so it is new.
        texts.delete(kept);
        texts.add(kept);
        const [oldest] = texts;
        if (texts.size > MAX_TEXTS && oldest !== undefined) texts.delete(oldest);
      }
    },
    all: () => [...texts],
  };
}

/** In every format. */
const TEXTS = new Set(["text", "description"]);

function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(objectIn(value)).flatMap(([name, member]) =>
    typeof member === "string" ? (TEXTS.has(name) && member !== "" ? [member] : []) : textsIn(member),
  );
}
