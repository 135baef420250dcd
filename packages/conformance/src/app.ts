import { deadline, lane, type McpApp, oneLaneApp } from "@toolpact/contract";
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
  return oneLaneApp({
    name: "toolpact-conformance",
    version: "0.0.0",
    instructions: "Fixtures of the official MCP conformance suite. None of them does anything of use.",
    product,
    tools: [...contentTools, ...tellingTools, ...askingTools, ...roundsTools, ...schemaTools],
    lane: lane({ name: "fixture", guards: [deadline(errors)], dialect: contentDialect }),
    services: {},
    onBug: ({ reference, where, error }) => console.error(`${reference} ${where}:`, error),
    resources,
    prompts,
    schemaStyle: "oneOf",
  });
}
