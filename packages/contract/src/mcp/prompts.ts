import type { GetPromptRequest, GetPromptResult, ServerContext } from "@modelcontextprotocol/server";
import { quote } from "../bad-input.ts";
import { inputRequiredOf } from "./asking.ts";
import type { Connection } from "./connection.ts";
import { invalid, runToolsOf } from "./request.ts";
import { wireResult } from "./wire.ts";

/** The messages of a prompt, or what it must ask first. */
export async function getPrompt(
  connection: Connection,
  { name, arguments: args = {} }: GetPromptRequest["params"],
  ctx: ServerContext,
) {
  const { prompts = [] } = await connection.core();
  const prompt = prompts.find((candidate) => candidate.name === name);
  if (prompt === undefined) throw invalid(`Unknown prompt ${quote(name)}.`);
  const missing = prompt.arguments.find((argument) => argument.required && args[argument.name] === undefined);
  if (missing !== undefined) throw invalid(`The prompt ${name} needs the argument ${missing.name}.`);
  const asked = { name, args };
  const messages = prompt.messages(args, runToolsOf(connection, ctx, asked).ask);
  if ("ok" in messages) return inputRequiredOf(messages, connection, ctx, asked);
  return wireResult<GetPromptResult>({ messages });
}
