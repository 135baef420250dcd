import type { Answer } from "./answer.ts";
import type { Reply } from "./http/exchange.ts";

/** An answer as it goes over the wire. */
export function replyOf(answer: Answer, headers: Readonly<Record<string, string>> = {}): Reply {
  const { body } = answer;
  return {
    status: answer.status,
    headers: {
      "content-type": answer.contentType ?? "application/json; charset=utf-8",
      ...headers,
      ...answer.headers,
    },
    body: typeof body === "string" || isStream(body) ? body : JSON.stringify(body),
  };
}

function isStream(body: Exclude<Answer["body"], string>): body is AsyncIterable<string> {
  return Symbol.asyncIterator in body;
}
