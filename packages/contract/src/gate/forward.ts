import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { JsonObject } from "../json.ts";
import type { Exchange } from "./exchange.ts";
import type { Upstream } from "./upstream.ts";

/**
 * Sends a request to the server. What the server asks meanwhile is answered through the client of the exchange; without
 * one, nobody can be asked.
 */
export type Forward = (
  method: string,
  params: JsonObject,
  exchange: Exchange | undefined,
) => Promise<JsonObject>;

/** The one question of a server from before 2026, and the gate's own. */
export const QUESTION = "question";

export function forwardTo(upstream: Upstream, atServer: Set<Exchange>, timeoutMs: number): Forward {
  return async (method, params, exchange) => {
    if (exchange !== undefined) atServer.add(exchange);
    try {
      return await inRounds(upstream, timeoutMs, method, params, exchange);
    } finally {
      if (exchange !== undefined) atServer.delete(exchange);
    }
  };
}

/** Answers a question that the server asks by a request of its own, as those from before 2026 do. */
export async function askThrough(
  atServer: ReadonlySet<Exchange>,
  method: string,
  params: JsonObject,
): Promise<JsonObject> {
  const answers = await onlyOne(atServer).ask({ [QUESTION]: { method, params } });
  // The client has answered each question under its name.
  return answers[QUESTION] as JsonObject;
}

async function inRounds(
  upstream: Upstream,
  timeoutMs: number,
  method: string,
  params: JsonObject,
  exchange: Exchange | undefined,
): Promise<JsonObject> {
  const token = exchange?.context.mcpReq._meta?.progressToken;
  const tell = (made: JsonObject) =>
    exchange?.tell(({ notify }) =>
      notify({ method: "notifications/progress", params: { ...made, progressToken: token } }),
    );
  let sent = params;
  for (;;) {
    const result = await upstream.request(method, sent, {
      signal: exchange?.signal ?? new AbortController().signal,
      timeoutMs,
      progress: token === undefined ? undefined : tell,
    });
    await exchange?.allTold();
    if (result.resultType !== "input_required") return result;
    if (exchange === undefined)
      throw new Error("The server has asked a question, and nobody waits who could answer it.");
    // An input_required result has its requests by name.
    const questions = (result.inputRequests ?? {}) as Readonly<Record<string, JsonObject>>;
    const answers = Object.keys(questions).length === 0 ? {} : await exchange.ask(questions);
    sent = {
      ...params,
      inputResponses: answers,
      ...(result.requestState !== undefined && { requestState: result.requestState }),
    };
  }
}

/** A server of before 2026 does not say which call a question belongs to. */
function onlyOne(atServer: ReadonlySet<Exchange>): Exchange {
  const [exchange, another] = atServer;
  if (exchange === undefined || another !== undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidRequest,
      exchange === undefined
        ? "No call is under way at this gate that the question could belong to."
        : "Several calls are under way at this gate, and the question does not say which it belongs to.",
    );
  return exchange;
}
