import type { CallToolRequest, CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import type { RenderedAnswer } from "../call-state.ts";
import type { Connection } from "./internals.ts";
import { inputRequiredOf, invalid } from "./questions.ts";
import { answerTo, askedBy } from "./run-call.ts";
import { taskResult } from "./tasks.ts";

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
 * The text is complete, because most clients show only that to their model. Answers with other content, such
 * as images, have no structured content: some clients would drop everything else.
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

/** The only cast to the SDK's types: surfaces and messages are read-only JSON, and the SDK infers mutable types. */
export function wireResult<Result>(json: object | undefined): Result {
  return json as Result;
}
