export type { ActionToolDeclaration } from "./action-tool.ts";
export {
  type Asking,
  type AskKind,
  type AskRequest,
  type Asks,
  askFor,
  nobodyToAsk,
  type Reply,
} from "./ask.ts";
export type { Call, Caller, Guard, Next } from "./call.ts";
export { type Catalog, catalog, type Selection } from "./catalog.ts";
export { type Clock, systemClock } from "./clock.ts";
export { type ConsentOptions, requireConsent } from "./consent.ts";
export type { ContentBlock, Cut, Dialect, Rendered, Telling } from "./dialect.ts";
export {
  type NoExtras,
  type OkEnvelope,
  type OkFile,
  type OkNotes,
  okEnvelope,
} from "./dialects/ok-envelope.ts";
export {
  type EnvelopeError,
  type Pagination,
  type PlainExtras,
  type SuccessEnvelope,
  type SuccessNotes,
  successEnvelope,
  type WorkflowState,
} from "./dialects/success-envelope.ts";
export { EFFECTS, type Effect, type Hints, hintsOf } from "./effects.ts";
export {
  type AnyErrorCatalog,
  type CodeOf,
  defineErrors,
  type ErrorCatalog,
  type ErrorRoles,
  type ErrorRow,
  type Failure,
  type FailureDetail,
} from "./errors.ts";
export { type AuditRecord, type AuditSink, audit } from "./guards/audit.ts";
export { deadline } from "./guards/deadline.ts";
export { type IdempotencyOptions, idempotency } from "./guards/idempotency.ts";
export { type Measurement, telemetry } from "./guards/telemetry.ts";
export { canonicalJson, digest, type Json, type JsonObject, type JsonSchema } from "./json.ts";
export { type Lane, lane, type SealedLane } from "./lane.ts";
export {
  type Manifest,
  type ManifestEntry,
  type ManifestOptions,
  manifestJson,
  manifestOf,
} from "./manifest.ts";
export { createMcpApp, type McpApp, type McpAppOptions, type McpCore } from "./mcp/app.ts";
export { type OneLaneAppOptions, oneLaneApp } from "./mcp/one-lane-app.ts";
export { type SmallAppOptions, smallApp, smallErrors, smallTool } from "./mcp/small-app.ts";
export { nearest } from "./nearest.ts";
export { type Failed, failed, type Outcome, ok, type Success } from "./outcome.ts";
export {
  type Answer,
  type Bug,
  type CallRequest,
  createPipeline,
  type Pipeline,
  type PipelineOptions,
} from "./pipeline.ts";
export { defineProduct, type Product, type ProductDefinition } from "./product.ts";
export type { Prompt, PromptArgument, PromptMessage } from "./prompt.ts";
export { redact } from "./redact.ts";
export { referenceMarkdown } from "./reference.ts";
export type { Resource, ResourceContent } from "./resource.ts";
export { type Missing, type Providers, provideServices, type Services } from "./services.ts";
export { type Surface, type SurfaceOptions, surfaceOf } from "./surface.ts";
export type { LogLevel, Progress, RunTools, SchemaStyle, Tool } from "./tool.ts";
