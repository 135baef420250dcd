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

/** What is too much about the arguments, or undefined. Walks without recursion: the value is hostile. */
export function excess(value: unknown, limits: InputLimits): string | undefined {
  let elements = 0;
  let characters = 0;
  const stack: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    if (typeof item.value === "string") {
      characters += item.value.length;
      if (characters > limits.maxCharacters) return `more than ${limits.maxCharacters} characters`;
      continue;
    }
    if (typeof item.value !== "object" || item.value === null) continue;
    if (item.depth >= limits.maxDepth) return `nested deeper than ${limits.maxDepth} levels`;
    for (const [key, member] of Object.entries(item.value)) {
      if (++elements > limits.maxElements) return `more than ${limits.maxElements} values`;
      if (!Array.isArray(item.value)) characters += key.length;
      stack.push({ value: member, depth: item.depth + 1 });
    }
  }
  return undefined;
}
