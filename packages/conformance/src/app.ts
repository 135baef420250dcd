import { type McpApp, systemClock } from "@toolpact/contract";
import { deadline, oneStackApp } from "@toolpact/contract/internal";
import { contentFormat } from "./content-format.ts";
import { askingTools } from "./fixtures/asking-tools.ts";
import { contentTools } from "./fixtures/content-tools.ts";
import { prompts } from "./fixtures/prompts.ts";
import { reportingTools } from "./fixtures/reporting-tools.ts";
import { resources } from "./fixtures/resources.ts";
import { roundsTools } from "./fixtures/rounds-tools.ts";
import { schemaTools } from "./fixtures/schema-tools.ts";
import { product } from "./product.ts";

/** Has everything the official suite requests by name, and nothing else. */
export function conformanceApp(): McpApp {
  return oneStackApp({
    name: "toolpact-conformance",
    version: "0.0.0",
    instructions: "Fixtures of the official MCP conformance suite. None of them does anything of use.",
    product,
    tools: [...contentTools, ...reportingTools, ...askingTools, ...roundsTools, ...schemaTools],
    stack: product.guardStack("fixture").use(deadline).answering(contentFormat).bind({ clock: systemClock }),
    services: {},
    onBug: ({ reference, where, error }) => console.error(`${reference} ${where}:`, error),
    resources,
    prompts,
    schemaStyle: "oneOf",
    // The suite requires plain content, which has no output schema.
    outputSchemas: false,
  });
}
