import { request as httpRequest } from "node:http";
import { onTestFinished } from "vitest";
import { type HttpOptions, type HttpServing, serveHttp } from "../src/mcp/http.ts";
import { type NotesApp, notesApp } from "./notes-product.ts";

export async function serve(
  options: Partial<HttpOptions> = {},
  notes: NotesApp = notesApp(),
): Promise<HttpServing> {
  const server = await serveHttp(notes.app, { port: 0, ...options });
  onTestFinished(server.close);
  return server;
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

interface Posting {
  readonly method?: string;
  readonly params?: object;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

/** Node's request, because `fetch` sends no chosen Host header. */
export function post(url: string, { method = "tools/list", params = {}, headers = {}, body }: Posting = {}) {
  const message =
    body ?? JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: META } });
  const name = (params as { name?: string }).name;
  return new Promise<{
    status: number;
    headers: NodeJS.Dict<string | string[]>;
    json: Record<string, unknown>;
  }>((resolve, reject) => {
    const sending = httpRequest(
      url,
      {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": method,
          ...(name !== undefined && { "mcp-name": name }),
          ...headers,
        },
      },
      async (response) => {
        const text = (await response.setEncoding("utf8").toArray()).join("");
        const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          json: data === "" ? {} : JSON.parse(data),
        });
      },
    );
    sending.on("error", reject);
    sending.end(message);
  });
}
