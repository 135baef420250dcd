import { type Outcome, ok } from "@toolpact/outcome";
import { systemClock } from "../clock.ts";
import { type SuccessNotes, successEnvelope } from "../formats/success-envelope.ts";
import { deadline } from "../guards/deadline.ts";
import { idempotency, RecentCalls } from "../guards/idempotency.ts";
import type { JsonObject } from "../json.ts";
import type { McpApp } from "../mcp/app.ts";
import { oneStackApp } from "../mcp/one-stack-app.ts";
import { defineProduct } from "../product.ts";
import { openApiErrors } from "./errors.ts";
import type { OpenApiFacts } from "./operations.ts";
import { type OpenApiOptions, type OpenApiTools, openApiTools } from "./tools.ts";

export interface OpenApiAppOptions extends Omit<OpenApiOptions, "category" | "profiles"> {
  readonly name: string;
  readonly version: string;
  /** What the API calls itself, unless given. */
  readonly instructions?: string;
}

/**
 * A whole server for an API in one call: its tools with deadlines, no creating call twice within 30 seconds, and the
 * success envelope. A product with guards of its own takes `openApiTools`.
 *
 * ```ts
 * const made = await openApiApp(await readFile("shop.yaml", "utf8"), {
 *   name: "shop",
 *   version: "1.0.0",
 *   baseUrl: "https://api.shop.example/v1",
 *   auth: { bearer: { env: "SHOP_TOKEN" } },
 * });
 * if (!made.ok) throw new Error(made.failure);
 * serveStdio(made.value.app);
 * ```
 */
export async function openApiApp(
  source: string | JsonObject,
  options: OpenApiAppOptions,
): Promise<Outcome<OpenApiTools & { readonly app: McpApp }, string>> {
  const made = await openApiTools(source, options);
  if (!made.ok) return made;
  const product = defineProduct<{ notes: SuccessNotes; facts: OpenApiFacts }>()({
    errors: openApiErrors,
    categories: ["all"],
    profiles: ["all"],
    services: {},
  });
  const app = oneStackApp({
    name: options.name,
    version: options.version,
    instructions: options.instructions ?? `Calls ${made.value.title || options.name}.`,
    product,
    tools: made.value.tools,
    stack: product
      .guardStack("all")
      .use(deadline)
      .use(idempotency)
      .answering(successEnvelope(openApiErrors))
      .bind({ clock: systemClock, recentCalls: new RecentCalls() }),
    services: {},
    onBug: ({ reference, where, error }) => console.error(`${where} failed (${reference}):`, error),
  });
  return ok({ ...made.value, app });
}
