import { policyCategories } from "../x/operation-table.ts";
import { fullCatalog } from "./catalog.ts";
import { toolsOfPrompts } from "./prompts.ts";
import { toolsOfResources } from "./resources.ts";

/** What the tools are called, for whoever has to know no more of them: they are not loaded for it. */
export const toolNames = {
  /** Every tool of every profile. */
  tools: fullCatalog.tools.map(({ name, category, facts: { olderNames } }) => ({
    name,
    category,
    facts: olderNames === undefined ? {} : { olderNames },
  })),
  categoriesOfPolicies: policyCategories,
  /** The tools without which something is not offered. */
  neededBy: { prompts: toolsOfPrompts(), resources: toolsOfResources() },
};
