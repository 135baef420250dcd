import { failed, type Outcome, ok } from "@toolpact/outcome";
import { parseJson } from "../../json.ts";
import type { SendFailure } from "../channel.ts";

const TIMEOUT_MS = 10_000;

/** Failures name the service but not the address, which may hold a secret. */
export async function sendJson(
  fetch: typeof globalThis.fetch,
  service: string,
  request: { readonly url: string; readonly headers?: Record<string, string>; readonly body: string },
  signal: AbortSignal,
): Promise<Outcome<unknown, SendFailure>> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(request.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...request.headers },
      body: request.body,
      // A redirect could send the message elsewhere.
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    text = await firstText(response);
  } catch {
    return failed({ message: `${service} could not be reached.`, isFinal: false });
  }
  if (response.ok) return ok(parseJson(text));
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return failed({
    message: `${service} answered with status ${response.status}.`,
    isFinal: response.status < 500 && response.status !== 408 && response.status !== 429,
    ...(Number.isFinite(seconds) && { retryAfterMs: seconds * 1_000 }),
  });
}

/** Reads no more than a service's answer can have. */
async function firstText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_ANSWER) break;
  }
  return text;
}

const MAX_ANSWER = 1_000_000;
