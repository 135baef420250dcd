import { type Asking, noElicitation } from "../ask.ts";
import type { JsonObject } from "../json.ts";
import { inputRequestOf, replyIn } from "../mcp/asking.ts";
import { callerOf, invalid } from "../mcp/request.ts";
import type { CallRequest, Pipeline } from "../pipeline.ts";
import { printable } from "../printable.ts";
import type { Progress } from "../tool.ts";
import type { Exchange } from "./exchange.ts";
import { toolResult } from "./gate-format.ts";
import type { GateContext } from "./gate-product.ts";
import type { Answers, ClientRequest } from "./pending-exchanges.ts";
import { IDEMPOTENCY_KEY } from "./upstream-params.ts";

/** A client's call of a tool. */
interface ToolRequest extends Omit<ClientRequest, "asked"> {
  readonly name: string;
  readonly args: JsonObject;
  readonly exchange: Exchange;
  readonly answers: Answers | undefined;
}

/** Takes a call through the pipeline. If a guard asks something, the call is made again with the client's answers. */
export async function callTool(
  pipeline: Pipeline<Partial<GateContext>>,
  { server, link, ctx, name, args, exchange, answers }: ToolRequest,
  forward: GateContext["forward"],
): Promise<JsonObject> {
  const { client, ...caller } = callerOf({ ...link, server }, ctx);
  const key = ctx.mcpReq._meta?.[IDEMPOTENCY_KEY];
  const request: CallRequest<Partial<GateContext>> = {
    tool: name,
    args,
    // A client's name may contain any characters.
    caller: { ...caller, ...(client !== undefined && { client: printable(client) }) },
    signal: exchange.signal,
    progress: (progress) => reportProgress(exchange, progress),
    context: { forward, key: typeof key === "string" ? key : undefined },
  };
  let ask = askingThrough(exchange, answers);
  for (;;) {
    const answer = await pipeline.call({ ...request, ask });
    switch (answer.kind) {
      case "unknown_tool":
        throw invalid(answer.message);
      case "rendered":
        return toolResult(answer);
      case "asks": {
        const { asks, state = null } = answer.asks;
        const questions = Object.fromEntries(
          Object.entries(asks).map(([question, asked]) => [question, inputRequestOf(asked)]),
        );
        ask = await exchange.ask(questions, state).then(
          (responses) => askingThrough(exchange, { responses, state }),
          // The client has disconnected, or did not answer in time.
          () => noElicitation,
        );
      }
    }
  }
}

function askingThrough(exchange: Exchange, answers: Answers | undefined): Asking {
  return {
    can: (kind) => exchange.can(kind),
    unreachable: false,
    reply: (key) => (answers === undefined ? { kind: "missing" } : replyIn(answers.responses, key)),
    state: answers?.state,
  };
}

/** The gate's progress must grow, and stay below the progress that the server will report. */
function reportProgress(exchange: Exchange, { done, message }: Progress): void {
  const progressToken = exchange.context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  const params = { progressToken, progress: done * Number.EPSILON, message };
  exchange.notify(({ notify }) => notify({ method: "notifications/progress", params }));
}
