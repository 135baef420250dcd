import { isJsonObject, type JsonObject } from "../json.ts";
import { wordSearch } from "../word-search.ts";
import type { GateCatalog } from "./gate-catalog.ts";
import { GATE_META } from "./gate-product.ts";

const FIND_TOOLS = "find_tools";

/** The tools that clients see: all, or a tool that searches, and those it has found. */
export interface ToolList {
  readonly tools: () => readonly JsonObject[];
  /** Answers a call of `find_tools`; undefined for the tools of the servers. */
  readonly find: (tool: string, args: JsonObject) => Promise<JsonObject> | undefined;
}

/** `changed` notifies the clients. With `search`, a tool of a server that is also called `find_tools` cannot be called. */
export function toolList(catalog: GateCatalog, list: "all" | "search", changed: () => void): ToolList {
  if (list === "all") return { tools: () => catalog.listed, find: () => undefined };
  const found = new Set<string>();
  let listedAgain = Promise.withResolvers<void>();
  return {
    tools() {
      listedAgain.resolve();
      return [DEFINITION, ...catalog.listed.filter(({ name }) => found.has(String(name)))];
    },
    find: (tool, { query }) => (tool === FIND_TOOLS ? find(query) : undefined),
  };

  async function find(query: unknown): Promise<JsonObject> {
    if (typeof query !== "string" || query.trim() === "")
      return answer(
        { error: "find_tools needs a query: words about the task, or the name of a tool." },
        true,
      );
    // A server that has never run may have it.
    await catalog.refresh("running");
    const best = search(catalog, query);
    const added = best.filter(({ name }) => !found.has(String(name)));
    for (const { name } of added) found.add(String(name));
    if (added.length > 0) {
      listedAgain = Promise.withResolvers();
      changed();
      // Some clients build the next request as soon as they have the answer: then they should have the new list.
      await Promise.race([listedAgain.promise, after(MAX_WAIT_MS)]);
    }
    if (best.length === 0) return answer({ tools: [], servers: serverSizes(catalog) });
    return answer({ tools: best.length === 1 ? best.map(whole) : best.map(brief) });
  }
}

const MAX_FOUND = 5;
const MAX_WAIT_MS = 1_000;
const MAX_TEXT = 200;

const DEFINITION: JsonObject = {
  name: FIND_TOOLS,
  title: "Find tools",
  description:
    "Find tools by what you want to do, or by name. They are added to the list of tools. Use it for anything the list does not show.",
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", description: "A task, such as 'read a file', or the name of a tool" },
    },
    required: ["query"],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
  _meta: { "anthropic/alwaysLoad": true, [GATE_META]: { rule: "read_only" } },
};

function search(catalog: GateCatalog, query: string): readonly JsonObject[] {
  const listed = catalog.listed;
  const named = listed.find(({ name }) => name === query.trim());
  if (named !== undefined) return [named];
  const entries = listed.map((item) => ({
    item,
    names: [String(item.name)],
    phrases: typeof item.title === "string" ? [item.title] : [],
    text: textOf(item.description),
  }));
  return wordSearch(entries)(query)
    .slice(0, MAX_FOUND)
    .map(({ item }) => item);
}

function brief({ name = "", description, inputSchema }: JsonObject): JsonObject {
  const text = textOf(description);
  const properties =
    isJsonObject(inputSchema) && isJsonObject(inputSchema.properties) ? inputSchema.properties : {};
  return {
    name,
    description: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text,
    arguments: Object.keys(properties).join(", "),
  };
}

function whole({ name = "", description = "", inputSchema = {} }: JsonObject): JsonObject {
  return { name, description, input_schema: inputSchema };
}

/** How many tools each server has. */
function serverSizes({ tools }: GateCatalog): JsonObject {
  const sizes = Map.groupBy(tools, ({ facts }) => facts.server);
  return Object.fromEntries([...sizes].map(([server, own]) => [server, own.length]));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function answer(value: JsonObject, isError = false): JsonObject {
  return { content: [{ type: "text", text: JSON.stringify(value) }], ...(isError && { isError }) };
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
