import type { CallToolRequest, CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import { quote } from "../bad-input.ts";
import type { JsonObject } from "../json.ts";
import type { RenderedAnswer } from "../pipeline.ts";
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
  if (surface !== undefined && !surface.tools.some(({ name }) => name === params.name))
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
        toolResult(answer)
      );
  }
}

function toolResult({ envelope, text, content, failed }: RenderedAnswer): CallToolResult {
  const blocks = text === undefined ? content : [{ type: "text", text }, ...content];
  return wireResult({
    content: blocks,
    ...(envelope !== undefined && { structuredContent: envelope }),
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
