import type { CallToolRequest, CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import { quote } from "../bad-input.ts";
import type { JsonObject } from "../json.ts";
import type { RenderedAnswer } from "../pipeline.ts";
import type { Surface } from "../surface.ts";
import { inputRequiredOf } from "./asking.ts";
import type { Connection } from "./connection.ts";
import { invalid, principalFor, runToolsOf } from "./request.ts";
import { taskResult } from "./tasks.ts";

/** Takes a call from the wire through the pipeline and back. */
export async function callTool(
  connection: Connection,
  params: CallToolRequest["params"],
  ctx: ServerContext,
) {
  const { surface } = principalFor(connection, ctx) ?? {};
  // A tool that a caller is not offered does not exist for them.
  if (surface !== undefined && !hasTool(surface, params.name))
    throw invalid(`There is no tool ${quote(params.name)} here.`);
  const { pipeline } = await connection.core();
  // Arguments come off the wire, so they are JSON.
  const args = (params.arguments ?? {}) as JsonObject;
  const asked = { name: params.name, args };
  const answer = await pipeline.call({
    tool: params.name,
    args,
    ...(await runToolsOf(connection, ctx, asked)),
  });
  switch (answer.kind) {
    case "unknown_tool":
      throw invalid(answer.message);
    case "asks":
      return inputRequiredOf(answer.asks, connection, ctx, asked);
    case "rendered":
      return (
        wireResult<CallToolResult | undefined>(await taskResult(connection, ctx, params.name, answer)) ??
        toolResult(answer, connection.outputSchemas)
      );
  }
}

/** Whether a caller may call a tool, listed or not. */
export function hasTool({ tools, unlisted = [] }: Surface, asked: string): boolean {
  return tools.some(({ name }) => name === asked) || unlisted.includes(asked);
}

/**
 * The text is always whole: it is what most clients show their model. The same as structured content belongs to a
 * listed output schema; a client that was given none gets each answer once.
 */
function toolResult(
  { envelope, text, content, failed }: RenderedAnswer,
  outputSchemas: boolean,
): CallToolResult {
  const blocks = text === undefined ? content : [{ type: "text", text }, ...content];
  return wireResult({
    content: blocks,
    ...(envelope !== undefined && outputSchemas && { structuredContent: envelope }),
    ...(failed && { isError: true }),
  });
}

/**
 * A result of ours as the SDK's types spell it out. This is the one cast to them: surfaces, content blocks and
 * messages are read-only JSON made from typed declarations, while the SDK infers mutable types from its schemas.
 */
export function wireResult<Result>(json: object | undefined): Result {
  return json as Result;
}
