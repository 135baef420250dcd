import type { SettledHead, ToolHead } from "./tool.ts";

const DEADLINE_MS = 30_000;
/** Below the 50,000 characters at which a large client moves an answer into a file. */
const MAX_BYTES = 40_000;
const GO_ON = "Ask for less, or for the next page.";

/** What plain and action tools derive from a declaration in the same way. */
export function headOf(declaration: ToolHead<string, string, string, string>): SettledHead {
  return {
    name: declaration.name,
    title: declaration.title,
    description: declaration.describe,
    category: declaration.category,
    profiles: declaration.profiles,
    needs: declaration.needs,
    errors: declaration.errors,
    openWorld: declaration.openWorld,
    deadlineMs: declaration.deadlineMs ?? DEADLINE_MS,
    maxBytes: declaration.maxBytes ?? MAX_BYTES,
    goOn: declaration.goOn ?? GO_ON,
    scopes: declaration.scopes ?? [],
  };
}
