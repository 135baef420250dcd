import type { CallToolRequest, CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import type { RenderedAnswer } from "../call-state.ts";
import type { Connection } from "./internals.ts";
import { inputRequiredOf, invalid } from "./questions.ts";
import { answerTo, askedBy } from "./run-call.ts";
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
