import type { Json } from "../json.ts";

interface JsonLimits {
  readonly depth: number;
  readonly values: number;
}

/** The exceeded limit, as the end of a sentence. Walks without recursion; a cyclic value is too deep. */
export function overgrown(value: unknown, { depth: mostDepth, values: mostValues }: JsonLimits) {
  let count = 0;
  const values: unknown[] = [value];
  const depths: number[] = [0];
  while (values.length > 0) {
    const item = values.pop();
    const depth = depths.pop() ?? 0;
    if (typeof item !== "object" || item === null) continue;
    if (depth >= mostDepth) return `is nested deeper than ${mostDepth} levels`;
    const members: readonly unknown[] = Array.isArray(item) ? item : Object.values(item);
    count += members.length;
    if (count > mostValues) return `has more than ${mostValues} values`;
    for (const member of members) {
      values.push(member);
      depths.push(depth + 1);
    }
  }
  return undefined;
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
