import * as z from "zod";

export interface BenchTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: "none" | "create" | "update" | "delete";
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
}

const AREAS = [
  "post",
  "user",
  "list",
  "media",
  "space",
  "node",
  "scene",
  "script",
  "signal",
  "anim",
  "shader",
  "tile",
  "audio",
  "input",
];

const VERBS = {
  get: "none",
  list: "none",
  search: "none",
  count: "none",
  export: "none",
  create: "create",
  copy: "create",
  update: "update",
  move: "update",
  delete: "delete",
} as const;

/** About one kilobyte each, like a large product. */
export const tools140: readonly BenchTool[] = AREAS.flatMap((area) =>
  Object.entries(VERBS).map(([verb, effect]) => ({
    name: `${area}_${verb}`,
    title: `${capital(verb)} ${area}`,
    description: `${capital(verb)} a ${area}. Use this when the task names a ${area} by id or by path; call ${area}_list first if you do not know the id. Returns the ${area} with its id, name and state.`,
    effect,
    input: z.strictObject({
      id: z.string().describe(`The ${area} id, as returned by ${area}_list`),
      limit: z.number().int().min(1).max(100).optional().describe("Most items to return (1-100)"),
      format: z.enum(["concise", "detailed"]).optional().describe("How much to return"),
      cursor: z.string().optional().describe("Cursor from a previous page"),
      tags: z.array(z.string()).optional().describe("Only items with all of these tags"),
    }),
    output: z.object({
      id: z.string().describe(`The ${area} id`),
      name: z.string(),
      state: z.enum(["active", "archived"]),
      nextCursor: z.string().optional(),
    }),
  })),
);

/** Each call has another argument, or it would be rejected as a duplicate. */
export const noop = {
  name: "noop",
  title: "Do nothing",
  description: "Do nothing and say so.",
  effect: "create",
  input: z.strictObject({ n: z.number().int().min(0).describe("Any number; give another on each call") }),
  output: z.object({ ok: z.boolean() }),
} as const satisfies BenchTool;

/** As a careful author would set them. */
export function annotationsOf({ effect }: BenchTool) {
  return {
    readOnlyHint: effect === "none",
    destructiveHint: effect === "update" || effect === "delete",
    idempotentHint: effect !== "create",
    openWorldHint: false,
  };
}

function capital(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}
