export { nearest } from "@toolpact/cli/nearest";
export { type Failed, failed, type Outcome, ok, type Success } from "@toolpact/outcome";
export type { DefineAction } from "./action-tool.ts";
export { type Asking, type AskRequest, type Asks, askFor, noElicitation, type Reply } from "./ask.ts";
export { type Call, type Caller, type Guard, type GuardTypes, guard, type Next } from "./call.ts";
export { type Catalog, catalog } from "./catalog.ts";
export { type Clock, systemClock } from "./clock.ts";
export { requireConsent } from "./consent.ts";
export { type AppParts, defineServer, type Server, type ServerOptions } from "./define-server.ts";
export { DAY_MS, HOUR_MS, MINUTE_MS } from "./durations.ts";
export { EFFECTS, type Effect } from "./effects.ts";
export type { ContentBlock, EnvelopeFormat, RenderContext } from "./envelope-format.ts";
export {
  type AnyErrorSet,
  type CodeOf,
  defineErrors,
  type ErrorRow,
  type ErrorSet,
  type Failure,
  type FailureDetail,
} from "./errors.ts";
export { type OkEnvelope, type OkNotes, okEnvelope } from "./formats/ok-envelope.ts";
export {
  type EnvelopeError,
  type SuccessEnvelope,
  type SuccessNotes,
  successEnvelope,
} from "./formats/success-envelope.ts";
export type { BoundStack, CompleteStack, GuardStack } from "./guard-stack.ts";
export { deadline, deadlineWith } from "./guards/deadline.ts";
export { idempotency, RecentCalls } from "./guards/idempotency.ts";
export {
  canonicalJson,
  digest,
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonSchema,
  parseJson,
} from "./json.ts";
export { type Manifest, type ManifestEntry, manifestJson, manifestOf } from "./manifest.ts";
export { createMcpApp, type McpApp, type McpCore } from "./mcp/app.ts";
export { oneStackApp } from "./mcp/one-stack-app.ts";
export type { Task, Tasks } from "./mcp/tasks.ts";
export { gauge, type Metric, processMetrics, prometheusText } from "./metrics.ts";
export type { EndedCall, Observer } from "./observer.ts";
export { type AuditRecord, type AuditSink, audit } from "./observers/audit.ts";
export { callLog } from "./observers/call-log.ts";
export { type CallMetrics, callMetrics } from "./observers/call-metrics.ts";
export { once } from "./once.ts";
export {
  type Answer,
  type AnswerLimit,
  type Bug,
  type CallRequest,
  createPipeline,
  type LimitedCall,
  type Pipeline,
} from "./pipeline.ts";
export type { ToolDeclaration } from "./plain-tool.ts";
export { defineProduct, type Product } from "./product.ts";
export type { NoAnnotations, ProductTypes } from "./product-types.ts";
export type { Prompt } from "./prompt.ts";
export { rankByWords } from "./rank-by-words.ts";
export { maskSecrets, redact } from "./redact.ts";
export { referenceMarkdown } from "./reference.ts";
export { APP_MIME_TYPE, type Resource } from "./resource.ts";
export { type Missing, provideServices, type Services } from "./services.ts";
export { type Skill, skillResource } from "./skill.ts";
export { type Surface, surfaceOf } from "./surface.ts";
export type { AnyOutcome, Progress, RunTools, SchemaStyle, Tool, ToolAction } from "./tool.ts";
