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

export function partsOfBlock(block: Block | undefined): readonly Part[] {
  return block === undefined ? [] : [block.heading, ...block.body];
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

export function startOfParts(parts: readonly Part[], text: string, to: number): number | undefined {
  const start = to - parts.reduce((length, part) => length + part.text.length, 0);
  return start >= 0 && endOfParts(parts, text, start) === to ? start : undefined;
}
