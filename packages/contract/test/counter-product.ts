import { type McpApp, ok } from "../src/index.ts";
import { catalog, createMcpApp, successEnvelope, surfaceOf } from "../src/internal.ts";
import { errors, product } from "./notes-product.ts";

/** Two resources count their reads, and notify subscribers of each. */
export function counterApp(): McpApp {
  const resources = ["count://a", "count://b"].map((uri) => {
    let count = 0;
    return product.defineResource({
      uri,
      name: uri,
      title: "Count",
      description: "How often this was read.",
      mimeType: "text/plain",
      needs: [],
      read: async () => {
        app.resourceUpdated(uri);
        return ok({ text: String(++count) });
      },
    });
  });
  const app = createMcpApp({
    surface: surfaceOf({
      name: "counter",
      version: "1.0.0",
      instructions: "",
      catalog: catalog([]),
      format: successEnvelope(errors),
      resources,
    }),
    load: async () => ({
      pipeline: { call: async () => ({ kind: "unknown_tool", message: "There are no tools." }) },
      resources,
    }),
  });
  return app;
}
