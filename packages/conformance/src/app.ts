import {
  catalog,
  createMcpApp,
  createPipeline,
  deadline,
  lane,
  type McpApp,
  provideServices,
  surfaceOf,
} from "@toolpact/contract";
import { contentDialect } from "./content-dialect.ts";
import { askingTools } from "./fixtures/asking-tools.ts";
import { contentTools } from "./fixtures/content-tools.ts";
import { prompts } from "./fixtures/prompts.ts";
import { resources } from "./fixtures/resources.ts";
import { roundsTools } from "./fixtures/rounds-tools.ts";
import { schemaTools } from "./fixtures/schema-tools.ts";
import { tellingTools } from "./fixtures/telling-tools.ts";
import { errors, product } from "./product.ts";

/** A server of everything the official suite asks for by name, and of nothing else. */
export function conformanceApp(): McpApp {
  const tools = catalog([...contentTools, ...tellingTools, ...askingTools, ...roundsTools, ...schemaTools]);
  const only = lane({ name: "fixture", guards: [deadline(errors)], dialect: contentDialect });
  const pipeline = createPipeline({
    catalog: tools,
    errors,
    laneOf: () => only,
    services: provideServices(product, {}),
    onBug: ({ reference, where, error }) => console.error(`${reference} ${where}:`, error),
  });
  const surface = surfaceOf({
    name: "toolpact-conformance",
    version: "0.0.0",
    instructions: "Fixtures of the official MCP conformance suite. None of them does anything of use.",
    catalog: tools,
    dialect: contentDialect,
    resources,
    prompts,
  });
  return createMcpApp({ surface, load: async () => ({ pipeline, resources, prompts }) });
}
