import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test, vi } from "vitest";
import type { JsonObject } from "../../src/json.ts";
import { callTool, lab, patience, published } from "./lab.ts";

const POLICY = 'wait_seconds = 0\n[tools]\necho = "read_only"\nget-sum = { rule = "allow", price = 0.25 }\n';
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

/** Collects OpenTelemetry's JSON over HTTP. */
async function receiver() {
  const received: { readonly path: string; readonly body: JsonObject }[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    received.push({ path: request.url ?? "", body: JSON.parse(Buffer.concat(parts).toString()) });
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const textOf = (path: string) =>
    JSON.stringify(received.filter((one) => one.path === path).map(({ body }) => body));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, textOf };
}

test("a gate over HTTP has health checks and metrics, and sends a span of every call to a collector", async () => {
  const { serve } = await lab(POLICY);
  const { url: endpoint, textOf } = await receiver();
  const gate = await serve({
    server: published("server-everything"),
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "100",
    },
  });
  const client = new Client({ name: "tester", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const authorization = `Bearer ${gate.token}`;
  const transport = new StreamableHTTPClientTransport(new URL(gate.url), {
    requestInit: { headers: { authorization } },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  await callTool(client, "echo", { message: "hunter2" }, { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` });
  await callTool(client, "get-sum", { a: 1, b: 2 });
  await callTool(client, "get-tiny-image", {});

  const at = (path: string, headers: Record<string, string> = {}) =>
    fetch(new URL(path, gate.url), { headers }).then(async (got) => [got.status, await got.text()] as const);
  expect(await at("/healthz")).toEqual([200, "ok\n"]);
  expect(await at("/readyz")).toEqual([200, "ready\n"]);
  expect((await at("/metrics"))[0]).toBe(401);
  const [status, metrics] = await at("/metrics", { authorization });
  expect(status).toBe(200);
  for (const line of [
    "toolpact_gate_waiting 1",
    "toolpact_gate_in_doubt 0",
    "toolpact_gate_spent_usd 0.25",
    'mcp_server_operation_duration_seconds_count{mcp_method_name="tools/call",gen_ai_tool_name="echo"} 1',
    'mcp_server_operation_duration_seconds_count{mcp_method_name="tools/call",gen_ai_tool_name="get-tiny-image",error_type="waiting_for_person"} 1',
  ])
    expect(metrics).toContain(`${line}\n`);

  await vi.waitFor(() => expect(textOf("/v1/traces")).toContain("tools/call get-tiny-image"), patience);
  const traces = textOf("/v1/traces");
  expect(traces).toContain('"name":"tools/call echo"');
  expect(traces).toContain(TRACE);
  expect(traces).toContain("toolpact gate");
  expect(traces).not.toContain("hunter2");
  await gate.end();
  expect(textOf("/v1/metrics")).toContain("mcp.server.operation.duration");
});
