import { fullCatalog } from "./catalog.ts";
import { toolsOfPrompts } from "./prompts.ts";
import { toolsOfResources } from "./resources.ts";

/** Names and categories of the tools, for code that does not need the tools themselves. */
export const toolNames = () => ({
  /** Every tool of every profile. */
  tools: fullCatalog.tools.map(({ name, category, facts: { olderNames, everyday } }) => ({
    name,
    category,
    facts: { ...(olderNames !== undefined && { olderNames }), ...(everyday && { everyday }) },
  })),
  /** The tools that each prompt and resource requires. */
  neededBy: { prompts: toolsOfPrompts(), resources: toolsOfResources() },
});
