import { successEnvelope, surfaceOf } from "@toolpact/contract/internal";
import { errors } from "./product.ts";
import { toolCatalog } from "./tools.ts";

/** Computed at build time: in the bundle, the function reads its result from a JSON file. */
export const prebuilt = {
  surface: () =>
    surfaceOf({
      name: "bench-toolpact",
      version: "1.0.0",
      instructions: "A server to measure.",
      catalog: toolCatalog,
      format: successEnvelope(errors),
    }),
};
