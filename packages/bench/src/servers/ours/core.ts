import { devNull } from "node:os";
import {
  audit,
  createPipeline,
  deadline,
  idempotency,
  lane,
  type McpCore,
  provideServices,
  successEnvelope,
} from "@toolpact/contract";
import { auditLog } from "./audit-log.ts";
import { errors, product } from "./product.ts";
import { toolCatalog } from "./tools.ts";

const everything = lane({
  name: "everything",
  guards: [deadline(errors), idempotency({ errors }), audit(auditLog(devNull))],
  dialect: successEnvelope(errors).timed,
});

const services = provideServices(product, {});

/** What the first call needs: every tool, behind every guard that both products use. */
export const core: McpCore = {
  pipeline: createPipeline({
    catalog: toolCatalog,
    errors,
    laneOf: () => everything,
    services,
    onBug: ({ reference, error }) => console.error(reference, error),
  }),
  services,
};
