import { devNull } from "node:os";
import { audit, systemClock } from "@toolpact/contract";
import {
  createPipeline,
  deadline,
  idempotency,
  type McpCore,
  provideServices,
  RecentCalls,
  successEnvelope,
} from "@toolpact/contract/internal";
import { auditLog } from "./audit-log.ts";
import { errors, product } from "./product.ts";
import { toolCatalog } from "./tools.ts";

const everything = product
  .guardStack("everything")
  .use(deadline)
  .use(idempotency)
  .answering(successEnvelope(errors))
  .bind({ clock: systemClock, recentCalls: new RecentCalls() });

const services = provideServices(product, {});

/** Every tool, with every guard that both products use. */
export const core: McpCore = {
  pipeline: createPipeline({
    catalog: toolCatalog,
    product,
    stackFor: () => everything,
    services,
    observers: [audit(auditLog(devNull))],
    onBug: ({ reference, error }) => console.error(reference, error),
  }),
  services,
};
