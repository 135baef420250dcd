import type * as z from "zod";
import type { SuccessNotes } from "../dialects/success-envelope.ts";
import { successEnvelope } from "../dialects/success-envelope.ts";
import { type CodeOf, defineErrors } from "../errors.ts";
import { deadline } from "../guards/deadline.ts";
import { idempotency } from "../guards/idempotency.ts";
import { lane } from "../lane.ts";
import { plainTool, type ToolDeclaration } from "../plain-tool.ts";
import { defineProduct } from "../product.ts";
import type { Tool } from "../tool.ts";
import type { McpApp } from "./app.ts";
import { oneLaneApp } from "./one-lane-app.ts";

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

type SmallHead = "category" | "profiles" | "needs" | "scopes";

type SmallTool<Code extends string, I extends z.ZodObject, O extends z.ZodType> = Omit<
  ToolDeclaration<string, string, object, never, Code, SuccessNotes, I, O>,
  SmallHead
>;

/**
 * Declares a tool of a small app.
 *
 * ```ts
 * const greet = smallTool({
 *   name: "greet",
 *   title: "Greet",
 *   describe: "Greet somebody by name.",
 *   effect: "none",
 *   openWorld: false,
 *   errors: ["not_found"],
 *   input: z.strictObject({ name: z.string().describe("Whom to greet") }),
 *   output: z.object({ greeting: z.string() }),
 *   run: ({ name }) =>
 *     name === "Nobody" ? smallErrors.fail("not_found", "Nobody is here.") : ok({ greeting: `Hello ${name}` }),
 * });
 * ```
 */
export function smallTool<
  Code extends CodeOf<typeof smallErrors>,
  I extends z.ZodObject,
  O extends z.ZodType,
>(declaration: SmallTool<Code, I, O>): Tool {
  return plainTool({ ...declaration, category: ALL, profiles: [ALL], needs: [] });
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
  return oneLaneApp({
    ...options,
    product: defineProduct<object, SuccessNotes>()({
      errors: smallErrors,
      categories: [ALL],
      profiles: [ALL],
      services: {},
    }),
    lane: lane({
      name: ALL,
      guards: [deadline(smallErrors), idempotency({ errors: smallErrors })],
      dialect: successEnvelope(smallErrors).timed,
    }),
    services: {},
    onBug: ({ reference, where, error }) => console.error(`${where} failed (${reference}):`, error),
  });
}

const ALL = "all";
