/** Bounds on what a caller may send, checked before any schema or digest walks the value. */
export interface InputLimits {
  readonly maxDepth: number;
  readonly maxElements: number;
  /** Characters in all strings together. */
  readonly maxCharacters: number;
}

export const defaultInputLimits: InputLimits = {
  maxDepth: 32,
  maxElements: 10_000,
  maxCharacters: 1_000_000,
};

/**
 * What is too much about the arguments, as the end of a sentence, or undefined. The value is hostile: it is walked
 * without recursion, and no further than the limits.
 */
export function excess(value: unknown, limits: InputLimits): string | undefined {
  let elements = 0;
  let characters = 0;
  const values: unknown[] = [value];
  const depths: number[] = [0];
  while (values.length > 0) {
    const item = values.pop();
    const depth = depths.pop() ?? 0;
    if (typeof item === "string") {
      characters += item.length;
      if (characters > limits.maxCharacters) return `have more than ${limits.maxCharacters} characters`;
    }
    if (typeof item !== "object" || item === null) continue;
    if (depth >= limits.maxDepth) return `are nested deeper than ${limits.maxDepth} levels`;
    const keys = Array.isArray(item) ? undefined : Object.keys(item);
    elements += keys?.length ?? (item as unknown[]).length;
    if (elements > limits.maxElements) return `have more than ${limits.maxElements} values`;
    for (const key of keys ?? []) characters += key.length;
    for (const member of keys === undefined ? (item as unknown[]) : Object.values(item)) {
      values.push(member);
      depths.push(depth + 1);
    }
  }
  return undefined;
}
