import { annotationsOf, noop, tools140 } from "./tools140.ts";

/** The arguments with which both versions of the MCP SDK register each tool. */
export const registrations = [...tools140, noop].map((tool) => {
  const { name, title, description, input, output } = tool;
  const config = {
    title,
    description,
    inputSchema: input,
    outputSchema: output,
    annotations: annotationsOf(tool),
  };
  const answer = {
    content: [{ type: "text" as const, text: '{"ok":true}' }],
    structuredContent: { ok: true },
  };
  return [name, config, async () => answer] as const;
});
