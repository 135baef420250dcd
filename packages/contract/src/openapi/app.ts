import { type Outcome, ok } from "@toolpact/outcome";
import { defineServer } from "../define-server.ts";
import type { JsonObject } from "../json.ts";
import type { McpApp } from "../mcp/app.ts";
import { openApiErrors } from "./errors.ts";
import { type OpenApiOptions, type OpenApiTools, openApiTools } from "./tools.ts";

/** The name of the server, and how its API is called. */
export interface OpenApiAppOptions extends Omit<OpenApiOptions, "category" | "profiles"> {
  readonly name: string;
  readonly version: string;
  /** The API's title by default. */
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
  const { name, version, instructions = `Calls ${made.value.title || name}.` } = options;
  const { app } = defineServer({ name, version, instructions, errors: openApiErrors });
  return ok({ ...made.value, app: app({ tools: made.value.tools }) });
}
