import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { JsonObject } from "../json.ts";
import type { Exchange } from "./exchange.ts";
import type { Upstream } from "./upstream.ts";

/**
 * Sends a request to the upstream server. Questions that the server asks meanwhile go to the client of the exchange; without
 * an exchange they fail.
 */
export type Forward = (
  method: string,
  params: JsonObject,
  exchange: Exchange | undefined,
) => Promise<JsonObject>;

/** The name of the single question that a server from before 2026 asks at a time. */
const QUESTION = "question";

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

/** Answers a question that a server from before 2026 asks in a separate request. */
export async function askThrough(
  atServer: ReadonlySet<Exchange>,
  method: string,
  params: JsonObject,
): Promise<JsonObject> {
  const answers = await onlyOne(atServer).ask({ [QUESTION]: { method, params } });
  // The client answers each question under its name.
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
  const report = (made: JsonObject) =>
    exchange?.notify(({ notify }) =>
      notify({ method: "notifications/progress", params: { ...made, progressToken: token } }),
    );
  let sent = params;
  for (;;) {
    const result = await upstream.request(method, sent, {
      signal: exchange?.signal ?? new AbortController().signal,
      timeoutMs,
      progress: token === undefined ? undefined : report,
    });
    await exchange?.allNotified();
    if (result.resultType !== "input_required") return result;
    if (exchange === undefined)
      throw new Error("The server asked a question, and the caller who could answer it has gone.");
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

/** A server from before 2026 does not name the call that a question belongs to. */
function onlyOne(atServer: ReadonlySet<Exchange>): Exchange {
  const [exchange, another] = atServer;
  if (exchange === undefined || another !== undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidRequest,
      exchange === undefined
        ? "No call is running at this gate that the question could belong to."
        : "Several calls are running at this gate, and the question does not name the one it belongs to.",
    );
  return exchange;
}
