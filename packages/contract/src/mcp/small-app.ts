import type * as z from "zod";
import { systemClock } from "../clock.ts";
import { type CodeOf, defineErrors } from "../errors.ts";
import { type SuccessNotes, successEnvelope } from "../formats/success-envelope.ts";
import { deadline } from "../guards/deadline.ts";
import { idempotency, RecentCalls } from "../guards/idempotency.ts";
import { plainTool, type ToolDeclaration } from "../plain-tool.ts";
import { defineProduct } from "../product.ts";
import type { TypesOf } from "../product-types.ts";
import type { Tool } from "../tool.ts";
import type { McpApp } from "./app.ts";
import { oneStackApp } from "./one-stack-app.ts";

/** The errors of a small app. A product with errors of its own closes its set with `defineErrors`. */
export const smallErrors = defineErrors(
  {
    bad_input: { category: "input", retryable: false, meaning: "An argument is missing or wrong" },
    duplicate: {
      category: "input",
      retryable: false,
      meaning: "The same call was made a moment ago",
      reasons: ["duplicate_request"],
    },
    not_found: { category: "resource", retryable: false, meaning: "There is no such thing" },
    denied: { category: "permission", retryable: false, meaning: "That is not allowed" },
    busy: { category: "server", retryable: true, meaning: "It can be done later" },
    too_slow: { category: "server", retryable: true, meaning: "The deadline passed" },
    bug: { category: "server", retryable: false, meaning: "A defect of this server" },
  },
  { badInput: "bad_input", duplicate: "duplicate", deadline: "too_slow", internal: "bug" },
);

type SmallTypes = TypesOf<{ notes: SuccessNotes }>;

type SmallHead = "category" | "profiles" | "needs" | "scopes";

type SmallTool<Code extends string, I extends z.ZodObject, O extends z.ZodType> = Omit<
  ToolDeclaration<SmallTypes, string, string, never, Code, I, O>,
  SmallHead
>;

/**
 * Declares a tool of a small app.
 *
 * ```ts
 * const greet = smallTool({
 *   name: "greet",
 *   title: "Greet",
 *   description: "Greet somebody by name.",
 *   effect: "none",
 *   openWorld: false,
 *   errors: ["not_found"],
 *   input: z.strictObject({ name: z.string().describe("Whom to greet") }),
 *   output: z.object({ greeting: z.string() }),
 *   handler: ({ name }) =>
 *     name === "Nobody" ? smallErrors.fail("not_found", "Nobody is here.") : ok({ greeting: `Hello ${name}` }),
 * });
 * ```
 */
export function smallTool<
  Code extends CodeOf<typeof smallErrors>,
  I extends z.ZodObject,
  O extends z.ZodType,
>(declaration: SmallTool<Code, I, O>): Tool {
  return plainTool<SmallTypes, never, Code, I, O>({
    ...declaration,
    category: ALL,
    profiles: [ALL],
    needs: [],
  });
}

interface SmallAppOptions {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly Tool[];
}

/**
 * A whole server in one call: typed errors, deadlines, no call twice within 30 seconds, the success envelope.
 *
 * ```ts
 * serveStdio(smallApp({ name: "notes", version: "1.0.0", instructions: "Keeps notes.", tools }));
 * ```
 */
export function smallApp(options: SmallAppOptions): McpApp {
  const product = defineProduct<{ notes: SuccessNotes }>()({
    errors: smallErrors,
    categories: [ALL],
    profiles: [ALL],
    services: {},
  });
  const stack = product
    .guardStack(ALL)
    .use(deadline)
    .use(idempotency)
    .answering(successEnvelope(smallErrors))
    .bind({ clock: systemClock, recentCalls: new RecentCalls() });
  return oneStackApp({
    ...options,
    product,
    stack,
    services: {},
    onBug: ({ reference, where, error }) => console.error(`${where} failed (${reference}):`, error),
  });
}

const ALL = "all";
