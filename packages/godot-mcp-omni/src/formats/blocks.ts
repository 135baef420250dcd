import { type Part, STEP, type Steps } from "./document.ts";
import type { Block } from "./scene-text.ts";

export function* blocksOf(
  parts: readonly Part[],
): Steps<{ readonly lead: Part[]; readonly blocks: Block[] }> {
  const lead: Part[] = [];
  const blocks: Block[] = [];
  for (const part of parts) {
    if (blocks.length % STEP === 0) yield;
    if (part.kind === "heading") blocks.push({ heading: part, body: [] });
    else (blocks.at(-1)?.body ?? lead).push(part);
  }
  return { lead, blocks };
}

/** Whether a block ends here: at the end of the text, or before another one on a new line. */
export function isBoundary(text: string, at: number): boolean {
  return at === text.length || (text[at] === "[" && text[at - 1] === "\n");
}

/** The end of the given parts if the text has them at `from`. */
export function endOfParts(parts: readonly Part[], text: string, from: number): number | undefined {
  let at = from;
  for (const part of parts) {
    if (!text.startsWith(part.text, at)) return undefined;
    at += part.text.length;
  }
  return at;
}

/** The end of a block if the text has it at `from`. */
export function endOfBlock({ heading, body }: Block, text: string, from: number): number | undefined {
  return text.startsWith(heading.text, from) ? endOfParts(body, text, from + heading.text.length) : undefined;
}

/** The start of a block if the text has it up to `to`. */
export function startOfBlock(block: Block, text: string, to: number): number | undefined {
  let start = to - block.heading.text.length;
  for (const part of block.body) start -= part.text.length;
  return start >= 0 && endOfBlock(block, text, start) === to ? start : undefined;
}
