export { nearest } from "@toolpact/cli/nearest";
export type { DefineAction } from "./action-tool.ts";
export { type Asking, type AskRequest, type Asks, askFor, nobodyToAsk, type Reply } from "./ask.ts";
export type { Call, Caller, Guard, Next } from "./call.ts";
export { type Catalog, catalog } from "./catalog.ts";
export { type Clock, systemClock } from "./clock.ts";
export { requireConsent } from "./consent.ts";
export type { ContentBlock, Dialect, Telling } from "./dialect.ts";
export { type NoExtras, type OkEnvelope, type OkNotes, okEnvelope } from "./dialects/ok-envelope.ts";
export {
  type EnvelopeError,
  type PlainExtras,
  type SuccessDialects,
  type SuccessEnvelope,
  type SuccessNotes,
  successEnvelope,
  type WorkflowState,
} from "./dialects/success-envelope.ts";
export { EFFECTS, type Effect } from "./effects.ts";
export {
  type AnyErrorSet,
  type CodeOf,
  defineErrors,
  type ErrorRow,
  type ErrorSet,
  type Failure,
  type FailureDetail,
} from "./errors.ts";
export { type AuditRecord, type AuditSink, audit } from "./guards/audit.ts";
export { deadline } from "./guards/deadline.ts";
export { idempotency } from "./guards/idempotency.ts";
export { canonicalJson, digest, type Json, type JsonObject, type JsonSchema } from "./json.ts";
export { lane, type SealedLane } from "./lane.ts";
export { type Manifest, type ManifestEntry, manifestJson, manifestOf } from "./manifest.ts";
export { createMcpApp, type McpApp, type McpCore } from "./mcp/app.ts";
export { oneLaneApp } from "./mcp/one-lane-app.ts";
export { smallApp, smallErrors, smallTool } from "./mcp/small-app.ts";
export { type Failed, failed, type Outcome, ok, type Success } from "./outcome.ts";
export { type Answer, type Bug, createPipeline, type Pipeline } from "./pipeline.ts";
export { defineProduct, type Product } from "./product.ts";
export type { Prompt } from "./prompt.ts";
export { redact } from "./redact.ts";
export { referenceMarkdown } from "./reference.ts";
export type { Resource } from "./resource.ts";
export { type Missing, provideServices, type Services } from "./services.ts";
export { type Surface, surfaceOf } from "./surface.ts";
export type { AnyOutcome, Progress, RunTools, SchemaStyle, Tool } from "./tool.ts";
