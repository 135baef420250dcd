import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace";
import { afterAll, beforeEach, expect, test } from "vitest";
import { createHttpHandler } from "../src/mcp/http-handler.ts";
import { openTelemetry } from "../src/otel/index.ts";
import { notesApp } from "./notes-product.ts";

const spans = new InMemorySpanExporter();
const figures = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: figures, exportIntervalMillis: 3_600_000 });
const sdk = new NodeSDK({
  spanProcessors: [new SimpleSpanProcessor({ exporter: spans })],
  metricReaders: [reader],
  logRecordProcessors: [],
  autoDetectResources: false,
});
sdk.start();

beforeEach(() => spans.reset());
afterAll(() => sdk.shutdown());

async function connect(era: "modern" | "legacy") {
  const handler = createHttpHandler(notesApp().app, { telemetry: openTelemetry() });
  const client = new Client(
    { name: "tester", version: "1" },
    { versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" } },
  );
  const fetch = (url: string | URL, init?: RequestInit) => {
    const request = new Request(url, init);
    request.headers.set("host", "localhost");
    return handler.fetch(request);
  };
  await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }));
  return { client, close: () => client.close().then(handler.close) };
}

const named = (name: string) => spans.getFinishedSpans().filter((span) => span.name === name);

test.each([
  { era: "modern", version: "2026-07-28" },
  { era: "legacy", version: "2025-11-25" },
] as const)(
  "every request of a $era client is a span of a server, as the conventions name it",
  async ({ era, version }) => {
    const { client, close } = await connect(era);
    const { tools } = await client.listTools();
    await client.callTool({ name: "add_note", arguments: { text: "hunter2" } });
    await close();
    expect(tools.length).toBeGreaterThan(1);
    expect(named("tools/list")).toHaveLength(1);
    const [call] = named("tools/call add_note");
    expect(call?.kind).toBe(SpanKind.SERVER);
    expect(call?.status.code).toBe(SpanStatusCode.UNSET);
    expect(call?.attributes).toMatchObject({
      "mcp.method.name": "tools/call",
      "gen_ai.tool.name": "add_note",
      "gen_ai.operation.name": "execute_tool",
      "mcp.protocol.version": version,
      "network.transport": "tcp",
      "network.protocol.name": "http",
      "jsonrpc.request.id": expect.any(String),
    });
    expect(JSON.stringify(spans.getFinishedSpans().map(({ attributes }) => attributes))).not.toContain(
      "hunter2",
    );
  },
);

test("a failed tool, a wrong request and a name that nobody has are failures that are counted", async () => {
  const { client, close } = await connect("modern");
  await client.callTool({ name: "get_note", arguments: { id: "77" } });
  await client.callTool({ name: "no_such_tool", arguments: {} }).catch(() => undefined);
  await client.getPrompt({ name: "no such prompt" }).catch(() => undefined);
  await close();

  const [failed] = named("tools/call get_note");
  expect(failed?.status.code).toBe(SpanStatusCode.ERROR);
  expect(failed?.attributes).toMatchObject({
    "error.type": "tool_error",
    "toolpact.error.code": "not_found",
  });
  // Clients choose the name, so it must not create spans or series without limit.
  const [unknown] = named("tools/call");
  expect(unknown?.attributes).toMatchObject({ "error.type": "-32602", "rpc.response.status_code": "-32602" });
  expect(unknown?.attributes).not.toHaveProperty("gen_ai.tool.name");

  await reader.forceFlush();
  const [duration] = figures
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics)
    .filter(({ descriptor }) => descriptor.name.includes("operation"))
    .slice(-1);
  expect(duration?.descriptor).toMatchObject({ name: "mcp.server.operation.duration", unit: "s" });
  const counted = duration?.dataPoints.map(({ attributes, value }) => ({
    type: attributes["error.type"],
    tool: attributes["gen_ai.tool.name"],
    method: attributes["mcp.method.name"],
    count: (value as { readonly count: number }).count,
  }));
  expect(counted).toContainEqual({ type: "tool_error", tool: "get_note", method: "tools/call", count: 1 });
  expect(counted).toContainEqual({ type: "-32602", tool: undefined, method: "tools/call", count: 1 });
  expect(JSON.stringify(counted)).not.toContain("no_such_tool");
});

test.each([
  { era: "legacy", sessions: 1 },
  { era: "modern", sessions: 0 },
] as const)(
  "a $era client over HTTP has $sessions sessions that last until it goes",
  async ({ era, sessions }) => {
    const ended = async () => {
      await reader.forceFlush();
      const points = figures
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap(({ metrics }) => metrics)
        .find(({ descriptor }) => descriptor.name === "mcp.server.session.duration")?.dataPoints;
      const [point] = points ?? [];
      return {
        count: (point?.value as { readonly count: number })?.count ?? 0,
        attributes: point?.attributes,
      };
    };
    const { count: before } = await ended();
    const { client, close } = await connect(era);
    await client.listTools();
    expect((await ended()).count).toBe(before);
    await close();
    const after = await ended();
    expect(after.count).toBe(before + sessions);
    if (sessions > 0)
      expect(after.attributes).toEqual({
        "mcp.protocol.version": "2025-11-25",
        "network.transport": "tcp",
        "network.protocol.name": "http",
      });
  },
);

test("a span belongs to the trace that the client sends, and is linked to the one around its HTTP request", async () => {
  const { client, close } = await connect("modern");
  const theirs = "4bf92f3577b34da6a3ce929d0e0e4736";
  const http = trace.getTracer("test").startSpan("POST /mcp");
  await context.with(trace.setSpan(context.active(), http), async () => {
    const call = { name: "list_notes", arguments: {} };
    await client.callTool({ ...call, _meta: { traceparent: `00-${theirs}-00f067aa0ba902b7-01` } });
    await client.callTool({ ...call, _meta: { traceparent: "rubbish" } });
  });
  http.end();
  await close();
  const [call, untraced] = named("tools/call list_notes");
  expect(call?.spanContext().traceId).toBe(theirs);
  expect(call?.parentSpanContext?.spanId).toBe("00f067aa0ba902b7");
  expect(call?.links.map((link) => link.context.spanId)).toEqual([http.spanContext().spanId]);
  expect(untraced?.spanContext().traceId).not.toBe(theirs);
});
