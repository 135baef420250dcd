import { successEnvelope, surfaceOf } from "@toolpact/contract";
import { errors } from "./product.ts";
import { toolCatalog } from "./tools.ts";

export const surface = surfaceOf({
  name: "bench-toolpact",
  version: "1.0.0",
  instructions: "A server to measure.",
  catalog: toolCatalog,
  format: successEnvelope(errors),
});
