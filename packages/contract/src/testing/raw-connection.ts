import type { JsonObject } from "../json.ts";
import type { McpApp } from "../mcp/app.ts";
import { createHttpHandler } from "../mcp/http-handler.ts";
import { LOCAL_URL, localRequest } from "./connect.ts";

export type RawAnswer =
  | { readonly kind: "result"; readonly result: JsonObject; readonly text: string }
  | { readonly kind: "protocol error"; readonly message: string; readonly text: string }
  | { readonly kind: "no answer" };

/** Sends text unchanged: no library can write a member `__proto__` or half a surrogate. */
export interface RawConnection {
  readonly call: (tool: string, argsJson: string, patienceMs: number) => Promise<RawAnswer>;
  readonly close: () => Promise<void>;
}

const VERSION = "2025-11-25";

/** A legacy session, in which headers need not repeat the body. */
export async function rawConnection(app: McpApp): Promise<RawConnection> {
  const handler = createHttpHandler(app);
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": VERSION,
  };
  const post = (body: string) =>
    handler.fetch(localRequest(LOCAL_URL, { method: "POST", headers: { ...headers }, body }));
  const client = { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: "fuzz", version: "1" } };
  const begun = await post(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: client }));
  await begun.text();
  headers["mcp-session-id"] = begun.headers.get("mcp-session-id") ?? "";
  await post(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  let id = 0;
  return {
    async call(tool, argsJson, patienceMs) {
      id += 1;
      const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":${JSON.stringify(tool)},"arguments":${argsJson}}}`;
      const text = await within(
        post(body).then((response) => response.text()),
        patienceMs,
      );
      return text === undefined ? { kind: "no answer" } : answerIn(text);
    },
    close: handler.close,
  };
}

/** Other events, such as progress, come before the answer. */
function answerIn(text: string): RawAnswer {
  const messages = text.startsWith("{")
    ? [text]
    : // Only these two end a line of an event: a text may hold the other ends of lines that Unicode has.
      text
        .split(/[\r\n]+/)
        .flatMap((line) => (line.startsWith("data: {") ? line.slice("data: ".length) : []));
  for (const message of messages) {
    const { result, error } = JSON.parse(message) as { result?: JsonObject; error?: JsonObject };
    if (result !== undefined) return { kind: "result", result, text: message };
    if (error !== undefined)
      return { kind: "protocol error", message: `${error.code} ${error.message}`, text: message };
  }
  return { kind: "no answer" };
}

async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
