export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Parses JSON. Returns undefined if the text is not JSON, or is nested deeper than any document has a reason to be: code
 * that walks a value would run out of stack.
 */
export function parseJson(text: string): unknown {
  try {
    const value = JSON.parse(text);
    return text.length > 2 * MAX_DEPTH && isDeeper(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

const MAX_DEPTH = 200;

/** Walks the value without recursion. */
function isDeeper(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  return false;
}
