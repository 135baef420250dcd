import { catalog } from "../catalog.ts";
import type { AnyErrorSet } from "../errors.ts";
import type { SealedLane } from "../lane.ts";
import { type Bug, createPipeline } from "../pipeline.ts";
import type { ProductDefinition } from "../product.ts";
import type { Prompt } from "../prompt.ts";
import type { Resource } from "../resource.ts";
import { type Providers, provideServices } from "../services.ts";
import { surfaceOf } from "../surface.ts";
import type { SchemaStyle, Tool } from "../tool.ts";
import { createMcpApp, type McpApp } from "./app.ts";

/** The parts of an app whose tools all run in one lane. */
export interface OneLaneAppOptions<Services extends object> {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly product: ProductDefinition<AnyErrorSet, Services, string, string>;
  readonly tools: readonly Tool[];
  readonly lane: SealedLane;
  readonly services: Providers<Services>;
  readonly onBug: (bug: Bug) => void;
  readonly resources?: readonly Resource[];
  readonly prompts?: readonly Prompt[];
  readonly schemaStyle?: SchemaStyle;
  /** Adds each tool's output schema to the list. */
  readonly outputSchemas?: boolean;
  /** At least 32 bytes, the same in every replica. */
  readonly stateKey?: string;
}

/**
 * A whole app in one call: every tool in the same lane, everything loaded from the start. A product with several
 * lanes, or one that makes its surface at build time to start fast, puts the same parts together itself.
 */
export function oneLaneApp<Services extends object>(options: OneLaneAppOptions<Services>): McpApp {
  const { name, version, instructions, product, lane, onBug, resources = [], prompts = [] } = options;
  const tools = catalog(options.tools);
  const services = provideServices(product, options.services);
  const pipeline = createPipeline({
    catalog: tools,
    errors: product.errors,
    laneOf: () => lane,
    services,
    onBug,
  });
  const surface = surfaceOf({
    name,
    version,
    instructions,
    catalog: tools,
    dialect: lane.dialect,
    resources,
    prompts,
    ...(options.schemaStyle && { schemaStyle: options.schemaStyle }),
    ...(options.outputSchemas && { outputSchemas: true }),
  });
  return createMcpApp({
    surface,
    load: async () => ({ pipeline, services, resources, prompts }),
    onBug,
    ...(options.stateKey !== undefined && { stateKey: options.stateKey }),
  });
}
