import type { Resource } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors } from "../errors.ts";
import { product } from "../tools/product.ts";
import { liveResources } from "./live-resources.ts";

/** The MCP resources of this server. */
export const resources: readonly Resource[] = [
  product.defineResource({
    uri: "godot://error-codes",
    name: "error-codes",
    title: "Error codes",
    description: "Every code a tool can fail with: meaning, and whether to try again.",
    mimeType: "application/json",
    needs: [],
    read: async () => ok(asJson(errors.rows)),
  }),
  product.defineResource({
    uri: "godot://tools/{name}",
    name: "tool",
    title: "A tool in full",
    description: "What each action of a tool takes, and how it can fail.",
    mimeType: "application/json",
    needs: ["toolbox"],
    async read({ params: { name = "" } }, { toolbox }) {
      const tool = toolbox.describe().find((candidate) => candidate.name === name);
      if (tool === undefined) return errors.fail("E_NOT_FOUND", "This server has no such tool.");
      return ok(asJson({ ...tool, schema: tool.schema() }));
    },
  }),
  ...liveResources,
];

function asJson(value: unknown): { readonly text: string } {
  return { text: JSON.stringify(value, null, 2) };
}
