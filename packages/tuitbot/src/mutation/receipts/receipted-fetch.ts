import { AsyncLocalStorage } from "node:async_hooks";
import { objectIn } from "../../x/shapes/x-object.ts";
import { jsonOf } from "../../x/toolkit/raw-request.ts";
import type { Journal, RequestResult } from "./journal.ts";
import { writeRequest } from "./x-requests.ts";

type Fetch = typeof globalThis.fetch;

/** The journal of the mutation that is being carried out, for whatever runs on its behalf. */
export const journals: AsyncLocalStorage<Journal> = new AsyncLocalStorage();

/**
 * The only way by which a workflow profile changes anything at X: every request that could is written down before it
 * leaves and again when its answer is there, and one that no receipt stands for is not sent at all.
 */
export function receiptedFetch(fetch: Fetch): Fetch {
  return async (input, init) => {
    const request = writeRequest(input, init);
    if (request === undefined) return fetch(input, init);
    if (request === "unreadable") return kept("The request cannot be written down.");
    const journal = journals.getStore();
    if (journal === undefined) return kept("No receipt stands for this request.");
    if (init?.signal?.aborted) return fetch(input, init);
    const permit = await journal.beforeSend(request);
    if (!permit.ok) return kept(permit.failure.message);
    if (permit.value.recorded !== undefined)
      return new Response(permit.value.recorded.text, {
        status: permit.value.recorded.status,
        headers: JSON_TYPE,
      });
    const { afterAnswer } = permit.value;
    if (afterAnswer === undefined) return fetch(input, init);
    let response: Response;
    let text: string;
    try {
      response = await fetch(input, init);
      text = await response.text();
    } catch (error) {
      await afterAnswer({ state: neverSent(error) ? "failed" : "unknown" });
      throw error;
    }
    await afterAnswer(endOf(response.status, text));
    return new Response(text === "" ? null : text, { status: response.status, headers: response.headers });
  };
}

const JSON_TYPE = { "content-type": "application/json" };

/** What X would answer to a request it refuses, for one that was not sent. */
function kept(detail: string): Response {
  return Response.json({ title: "Not sent", detail, type: "about:blank", status: 403 }, { status: 403 });
}

/** Whether X has carried out what it answered like this. */
export function endOf(status: number, text: string): RequestResult {
  if (status >= 200 && status < 300) {
    if (text === "") return { state: "confirmed", status, text };
    const answer = jsonOf(text);
    // A success that cannot be read does not say what was made.
    if (typeof answer !== "object" || answer === null) return { state: "unknown", status };
    const { data, meta, errors } = objectIn(answer);
    const isRefusal = data === undefined && meta === undefined && Array.isArray(errors);
    return isRefusal ? { state: "failed", status } : { state: "confirmed", status, text };
  }
  // X does not carry out what it refuses; of anything else a proxy, a crash or a timeout may be the reason.
  const isRefusal = status >= 400 && status < 500 && status !== 408;
  return { state: isRefusal ? "failed" : "unknown", status };
}

/** Codes with which no connection came about, so that X cannot have seen the request. */
const NEVER_CONNECTED: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function neverSent(error: unknown, depth = 0): boolean {
  if (typeof error !== "object" || error === null || depth > 3) return false;
  if ("code" in error && typeof error.code === "string") return NEVER_CONNECTED.has(error.code);
  return "cause" in error && neverSent(error.cause, depth + 1);
}
