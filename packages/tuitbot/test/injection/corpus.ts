import { readFileSync } from "node:fs";

/** A post of a stranger, and a reply to it. */
export interface Pair {
  readonly language: string;
  /** The goal of the attempt; undefined for an ordinary pair. */
  readonly goal: string | undefined;
  readonly post: string;
  readonly reply: string;
}

/**
 * The rules may be tuned on one part; the others only measure. `held-out` was written before the rules, for the same
 * account; `own-words` after them, for another account, and its attempts repeat nothing of the post.
 */
export type Part = "tuning" | "held-out" | "own-words";

/** Posts that try to steer the author of a reply, with the reply of a model that obeys. */
export const attempts = (part: Part) => read(`attempts.${part}.txt`);

/** Posts without such an aim, with a reply as people write it. */
export const ordinary = (part: Part) => read(`ordinary.${part}.txt`);

function read(file: string): readonly Pair[] {
  const lines = readFileSync(new URL(file, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => {
    const [head = "", post = "", reply = ""] = line.split(" || ");
    const [language = "", goal] = head.split(" ");
    return { language, goal, post, reply };
  });
}
