import {
  type Attributes,
  context,
  type Link,
  metrics,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { parseJson } from "../json.ts";
import type { ObservedRequest, Telemetry } from "../mcp/telemetry.ts";
import { DURATION_BOUNDS } from "../observers/metrics.ts";

export type { Telemetry };

/**
 * A span and a duration for every request, and a duration for every session, by OpenTelemetry's conventions for MCP, through the providers that the
 * process has registered. Arguments and results are in neither.
 *
 * ```ts
 * const { url } = await serveHttp(app, { port: 0, telemetry: openTelemetry() });
 * ```
 */
export function openTelemetry(): Telemetry {
  const tracer = trace.getTracer("@toolpact/contract");
  const durationOf = (what: string, description: string) =>
    metrics.getMeter("@toolpact/contract").createHistogram(`mcp.server.${what}.duration`, {
      description,
      unit: "s",
      advice: { explicitBucketBoundaries: [...DURATION_BOUNDS] },
    });
  const operation = durationOf("operation", "Duration of the MCP request as the server sees it.");
  const session = durationOf("session", "Duration of the MCP session as the server sees it.");
  return {
    async around(request, handle) {
      const shared = attributesOf(request);
      const { parent, links } = parentOf(request);
      const name = request.target === undefined ? request.method : `${request.method} ${request.target}`;
      const attributes = { ...shared, ...attributesOfSpan(request) };
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes, links }, parent);
      const startedAt = performance.now();
      let failure: Attributes = {};
      try {
        const result = await context.with(trace.setSpan(parent, span), handle);
        failure = failureIn(result);
        return result;
      } catch (error) {
        failure = failureOf(error);
        throw error;
      } finally {
        end(span, failure);
        operation.record((performance.now() - startedAt) / 1_000, { ...shared, ...failure });
      }
    },
    session(transport) {
      const startedAt = performance.now();
      return (protocolVersion) =>
        session.record((performance.now() - startedAt) / 1_000, linkAttributes(transport, protocolVersion));
    },
  };
}

/** The client's span is the parent. The HTTP request's is linked, because it may carry other requests. */
function parentOf({ meta }: ObservedRequest) {
  const ambient = context.active();
  if (typeof meta.traceparent !== "string") return { parent: ambient, links: [] };
  const around = trace.getSpanContext(ambient);
  const links: Link[] = around === undefined ? [] : [{ context: around }];
  return { parent: propagation.extract(ROOT_CONTEXT, meta), links };
}

/** Shared by spans and durations; each has few values. */
function attributesOf({ method, target, transport, protocolVersion }: ObservedRequest): Attributes {
  return {
    "mcp.method.name": method,
    ...(method === "tools/call" && { "gen_ai.operation.name": "execute_tool" }),
    ...(target !== undefined && {
      [method === "prompts/get" ? "gen_ai.prompt.name" : "gen_ai.tool.name"]: target,
    }),
    ...linkAttributes(transport, protocolVersion),
  };
}

function linkAttributes(
  transport: ObservedRequest["transport"],
  protocolVersion: string | undefined,
): Attributes {
  return {
    ...(protocolVersion !== undefined && { "mcp.protocol.version": protocolVersion }),
    ...(transport === "stdio"
      ? { "network.transport": "pipe" }
      : { "network.transport": "tcp", "network.protocol.name": "http" }),
  };
}

function attributesOfSpan({ id, uri, sessionId }: ObservedRequest): Attributes {
  return {
    "jsonrpc.request.id": id,
    ...(uri !== undefined && { "mcp.resource.uri": uri }),
    ...(sessionId !== undefined && { "mcp.session.id": sessionId }),
  };
}

/** A failed tool call is a successful request, so only its content shows the failure. */
function failureIn(result: unknown): Attributes {
  const { isError, structuredContent, content } = Object(result);
  if (isError !== true) return {};
  const code = (structuredContent ?? Object(parseJson(String(content?.[0]?.text)))).error?.code;
  return { "error.type": "tool_error", ...(typeof code === "string" && { "toolpact.error.code": code }) };
}

function failureOf(error: unknown): Attributes {
  const { code, name } = Object(error);
  if (typeof code === "number")
    return { "error.type": String(code), "rpc.response.status_code": String(code) };
  return { "error.type": typeof name === "string" ? name : "_OTHER" };
}

function end(span: Span, failure: Attributes): void {
  if (failure["error.type"] !== undefined) {
    span.setAttributes(failure);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
