// For the servers of this repository. Not stable: names here may change in any release.

export { nearest } from "@toolpact/cli/nearest";
export { noElicitation } from "./ask.ts";
export type { Answer, AnswerLimit } from "./call-state.ts";
export { DAY_MS, HOUR_MS, MINUTE_MS } from "./clock.ts";
export type { ToolDeclaration } from "./declaration.ts";
export type { EnvelopeFormat, RenderContext } from "./envelope-format.ts";
export type { AnyErrorSet } from "./errors.ts";
export { failureSummary, type OkEnvelope, type OkNotes, okEnvelope } from "./formats/ok-envelope.ts";
export { type EnvelopeError, type SuccessEnvelope, successEnvelope } from "./formats/success-envelope.ts";
export type { BoundStack, CompleteStack, GuardStack } from "./guard-stack.ts";
export { deadline, deadlineWith } from "./guards/deadline.ts";
export { idempotency, RecentCalls } from "./guards/idempotency.ts";
export { canonicalJson, digest, isJsonObject, type JsonSchema, parseJson } from "./json.ts";
export { type Manifest, type ManifestEntry, manifestJson, manifestOf } from "./manifest.ts";
export { createMcpApp, type McpCore } from "./mcp/app.ts";
export { oneStackApp } from "./mcp/one-stack-app.ts";
export type { Task, Tasks } from "./mcp/tasks.ts";
export { gauge, type Metric } from "./observers/metrics.ts";
export { type CallRequest, createPipeline, type LimitedCall, type Pipeline } from "./pipeline.ts";
export {
  type Catalog,
  catalog,
  defineProduct,
  type Missing,
  type NoAnnotations,
  type Product,
  type ProductTypes,
  provideServices,
  type Services,
} from "./product.ts";
export { bugText, maskSecrets, redact } from "./redact.ts";
export { referenceMarkdown, referencePages } from "./reference.ts";
export { type Surface, surfaceOf } from "./surface.ts";
export type { SchemaStyle, ToolAction } from "./tool.ts";
export { type Findable, wordSearch } from "./word-search.ts";
