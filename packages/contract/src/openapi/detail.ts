import type * as z from "zod";
import { wireSchema } from "../schema.ts";

interface Detail {
  readonly direction: "input" | "output";
  /** Size of the schema's JSON. */
  readonly bytes: number;
  readonly deepest: number;
}

/** The most detailed schema that fits. Starts with the shallowest, because deep ones are slow to build. */
export function inDetail<T>(
  make: (depth: number) => T,
  schemaOf: (made: T) => z.ZodType,
  { direction, bytes, deepest }: Detail,
): T {
  let best = make(1);
  let text = textOf(schemaOf(best), direction);
  for (let depth = 2; depth <= deepest; depth++) {
    const deeper = make(depth);
    const more = textOf(schemaOf(deeper), direction);
    if (more.length > bytes) return best;
    best = deeper;
    if (more === text) return best;
    text = more;
  }
  return best;
}

function textOf(schema: z.ZodType, direction: "input" | "output"): string {
  return JSON.stringify(wireSchema(schema, direction));
}
