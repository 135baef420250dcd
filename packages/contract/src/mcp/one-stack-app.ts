import type { AnyErrorSet } from "../errors.ts";
import type { BoundStack } from "../guard-stack.ts";
import type { JsonObject } from "../json.ts";
import type { Observer } from "../observer.ts";
import { type Bug, createPipeline } from "../pipeline.ts";
import {
  catalog,
  type Product,
  type ProductTypes,
  type Providers,
  provideServices,
  type Services,
} from "../product.ts";
import type { Prompt } from "../prompt.ts";
import type { Resource } from "../resource.ts";
import { surfaceOf } from "../surface.ts";
import type { SchemaStyle, Tool } from "../tool.ts";
import { createMcpApp, type McpApp, type McpAppOptions } from "./app.ts";

export interface OneStackAppOptions<
  T extends ProductTypes,
  E extends AnyErrorSet,
  C extends string,
  P extends string,
> {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly product: Product<T, E, C, P>;
  readonly tools: readonly Tool<T["facts"], T["plan"]>[];
  readonly stack: BoundStack<T["facts"], T["plan"], Partial<T["context"]>>;
  readonly services: Providers<T>;
  readonly observers?: readonly Observer<T["facts"], T["plan"], Partial<T["context"]>, JsonObject>[];
  readonly onBug: (bug: Bug) => void;
  readonly resources?: readonly Resource[];
  readonly prompts?: readonly Prompt[];
  readonly schemaStyle?: SchemaStyle;
  /** False omits output schemas from the list. */
  readonly outputSchemas?: boolean | undefined;
  /** 32 bytes or more, equal in all replicas. */
  readonly stateKey?: string;
  readonly withSdkServer?: McpAppOptions["withSdkServer"];
}

/**
 * An app with one guard stack before every tool, loaded from the start. Other products combine the parts
 * themselves.
 */
export function oneStackApp<
  T extends ProductTypes,
  E extends AnyErrorSet,
  C extends string,
  P extends string,
>(options: OneStackAppOptions<T, E, C, P>): McpApp {
  const { name, version, instructions, product, stack, onBug, resources = [], prompts = [] } = options;
  const tools = catalog(options.tools);
  const services = provideServices(product, options.services);
  const pipeline = createPipeline({
    catalog: tools,
    product,
    stackFor: () => stack,
    services,
    ...(options.observers && { observers: options.observers }),
    onBug,
  });
  // Resources have no guards, so no context.
  const forResources: Services = { resolve: (needs, _, signal) => services.resolve(needs, {}, signal) };
  const surface = surfaceOf({
    name,
    version,
    instructions,
    catalog: tools,
    format: stack.format,
    resources,
    prompts,
    ...(options.schemaStyle && { schemaStyle: options.schemaStyle }),
  });
  return createMcpApp({
    surface,
    outputSchemas: options.outputSchemas,
    load: async () => ({ pipeline, services: forResources, resources, prompts }),
    onBug,
    withSdkServer: options.withSdkServer,
    ...(options.stateKey !== undefined && { stateKey: options.stateKey }),
  });
}
