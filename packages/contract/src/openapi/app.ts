import { type Outcome, ok } from "@toolpact/outcome";
import { defineServer } from "../define-server.ts";
import type { JsonObject } from "../json.ts";
import type { McpApp } from "../mcp/app.ts";
import { openApiErrors } from "./errors.ts";
import { type OpenApiOptions, type OpenApiTools, openApiTools } from "./tools.ts";

/** The server's name, and access to its API. */
export interface OpenApiAppOptions extends Omit<OpenApiOptions, "category" | "profiles"> {
  readonly name: string;
  readonly version: string;
  /** Default: the API's title. */
  readonly instructions?: string;
}

/**
 * Builds a whole server for an API: tools with deadlines, rejection of repeated creating calls within 30 seconds, and
 * the success envelope. A product with its own guards uses `openApiTools`.
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
