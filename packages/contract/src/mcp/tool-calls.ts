import type { CallToolRequest, CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import { quote } from "../bad-input.ts";
import type { Answer, RenderedAnswer } from "../call-state.ts";
import type { JsonObject } from "../json.ts";
import type { Surface } from "../surface.ts";
import type { Connection } from "./internals.ts";
import { inputRequiredOf, invalid, principalFor, type RequestContext, runToolsOf } from "./request.ts";
import { taskResult } from "./tasks.ts";

/** Handles `tools/call`: runs the pipeline and converts its answer to the protocol. */
export async function callTool(
  connection: Connection,
  params: CallToolRequest["params"],
  ctx: ServerContext,
) {
  const answer = await (connection.onCall?.(connection, ctx) ?? answerTo(connection, params, ctx));
  switch (answer.kind) {
    case "unknown_tool":
      throw invalid(answer.message);
    case "asks":
      return inputRequiredOf(answer.asks, connection, ctx, askedBy(params));
    case "rendered":
      return (
        wireResult<CallToolResult | undefined>(await taskResult(connection, ctx, params.name, answer)) ??
        toolResult(answer, connection.outputSchemas)
      );
  }
}

/** Runs a call through the pipeline. */
export async function answerTo(
  connection: Connection,
  params: CallToolRequest["params"],
  ctx: RequestContext,
): Promise<Answer> {
  const { surface } = principalFor(connection, ctx) ?? {};
  // A tool outside the caller's surface does not exist for the caller.
  if (surface !== undefined && !hasTool(surface, params.name))
    throw invalid(`There is no tool ${quote(params.name)} here.`);
  const { pipeline } = await connection.core();
  const asked = askedBy(params);
  const tools = runToolsOf(connection, ctx, asked);
  const { signal, caller, ask, log, progress } = tools instanceof Promise ? await tools : tools;
  return await pipeline.call({ tool: asked.name, args: asked.args, signal, caller, ask, log, progress });
}

function askedBy({ name, arguments: args = {} }: CallToolRequest["params"]) {
  // Arguments were parsed from JSON.
  return { name, args: args as JsonObject };
}

/** True if a surface has the tool, listed or not. */
export function hasTool({ tools, unlisted = [] }: Surface, asked: string): boolean {
  return tools.some(({ name }) => name === asked) || unlisted.includes(asked);
}

/**
 * The text is always complete, because most clients show only the text to their model. Structured content repeats it if
 * output schemas are listed. An answer with other content, such as an image, has no structured content: some clients
 * drop everything else if it is present.
 */
function toolResult(
  { envelope, text, content, failed }: RenderedAnswer,
  outputSchemas: boolean,
): CallToolResult {
  const blocks = text === undefined ? content : [{ type: "text", text }, ...content];
  return wireResult({
    content: blocks,
    ...(envelope !== undefined && outputSchemas && content.length === 0 && { structuredContent: envelope }),
    ...(failed && { isError: true }),
  });
}

/**
 * Casts a result to the SDK's type, the only place that does: surfaces, content blocks and messages are read-only JSON
 * from typed declarations, while the SDK infers mutable types from its schemas.
 */
export function wireResult<Result>(json: object | undefined): Result {
  return json as Result;
}
