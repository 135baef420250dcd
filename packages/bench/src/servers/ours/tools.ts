import { ok, type Tool } from "@toolpact/contract";
import { catalog } from "@toolpact/contract/internal";
import { type BenchTool, noop, tools140 } from "../tools140.ts";
import { product } from "./product.ts";

export const toolCatalog = catalog([
  ...tools140.map((tool) => declared(tool, { id: "1", name: "one", state: "active" })),
  declared(noop, { ok: true }),
]);

function declared({ description, ...tool }: BenchTool, answer: object): Tool {
  return product.defineTool({
    ...tool,
    description,
    category: "all",
    openWorld: false,
    profiles: ["all"],
    needs: [],
    errors: [],
    handler: () => ok({ ...answer }),
  });
}
