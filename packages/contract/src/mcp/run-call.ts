import { quote } from "../bad-input.ts";
import type { Answer } from "../call-state.ts";
import type { JsonObject } from "../json.ts";
import type { Surface } from "../surface.ts";
import { type CallConnection, principalFor, type RequestContext, runToolsOf } from "./request.ts";

interface CallParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

export async function answerTo(
  connection: CallConnection,
  params: CallParams,
  ctx: RequestContext,
): Promise<Answer> {
  const { surface } = principalFor(connection, ctx) ?? {};
  // Tools outside the caller's surface do not exist for it.
  if (surface !== undefined && !hasTool(surface, params.name))
    return { kind: "unknown_tool", message: `There is no tool ${quote(params.name)} here.` };
  const { pipeline } = await connection.core();
  const asked = askedBy(params);
  const tools = runToolsOf(connection, ctx, asked);
  const { signal, caller, ask, log, progress } = tools instanceof Promise ? await tools : tools;
  return await pipeline.call({ tool: asked.name, args: asked.args, signal, caller, ask, log, progress });
}

export function askedBy({ name, arguments: args = {} }: CallParams) {
  return { name, args: args as JsonObject };
}

/** Listed or not. */
export function hasTool({ tools, unlisted = [] }: Surface, asked: string): boolean {
  return tools.some(({ name }) => name === asked) || unlisted.includes(asked);
}
