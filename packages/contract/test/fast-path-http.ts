import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import { type HttpOptions, serveHttp } from "../src/mcp/http.ts";
import { app, type Era, initialize, normal } from "./fast-path-servers.ts";

// The servers of `fast-path-servers.ts` over HTTP.

interface Exchanged {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

export async function exchange(
  url: string,
  {
    headers,
    body,
    method = "POST",
  }: { headers: Record<string, string>; body: string | Buffer; method?: string },
): Promise<Exchanged> {
  const sending = httpRequest(url, { method, headers });
  sending.end(body);
  const [response] = (await once(sending, "response")) as [IncomingMessage];
  const text = (await response.setEncoding("utf8").toArray()).join("");
  // Length, encoding and date may differ.
  const { date: _date, "content-length": _length, "transfer-encoding": _pieces, ...rest } = response.headers;
  return {
    status: response.statusCode ?? 0,
    headers: JSON.parse(normal(JSON.stringify(rest))),
    body: normal(text),
  };
}

export async function http(options: Partial<HttpOptions> = {}, aborted: string[] = []) {
  const server = await serveHttp(app(aborted), { port: 0, ...options });
  onTestFinished(server.close);
  return server.url;
}

export function headersFor(era: Era, name = "say"): Record<string, string> {
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": era === "modern" ? "2026-07-28" : "2025-11-25",
    ...(era === "modern" && { "mcp-method": "tools/call", "mcp-name": name }),
  };
}

/** Returns the header of a new legacy session. */
export async function begin(
  url: string,
  era: Era,
  headers: Record<string, string> = {},
): Promise<Record<string, string>> {
  if (era === "modern") return {};
  const response = await fetch(url, {
    method: "POST",
    headers: { ...headersFor(era), ...headers },
    body: JSON.stringify(initialize),
  });
  await response.text();
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
}
