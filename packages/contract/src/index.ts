export {
  type Failed,
  failed,
  type Json,
  type JsonObject,
  type Outcome,
  ok,
  once,
  type Success,
} from "@toolpact/outcome";
export type { DefineAction } from "./action-tool.ts";
export { type Asking, type AskRequest, type Asks, askFor, type Reply } from "./ask.ts";
export { type Call, type Caller, type Guard, type GuardTypes, guard, type Next } from "./call.ts";
export { type Clock, systemClock } from "./clock.ts";
export { requireConsent } from "./consent.ts";
export { defineServer } from "./define-server.ts";
export { EFFECTS, type Effect } from "./effects.ts";
export type { ContentBlock } from "./envelope-format.ts";
export {
  type CodeOf,
  defineErrors,
  type ErrorRow,
  type ErrorSet,
  type Failure,
  type FailureDetail,
} from "./errors.ts";
export type { SuccessNotes } from "./formats/success-envelope.ts";
export type { McpApp } from "./mcp/app.ts";
export type { EndedCall, Observer } from "./observer.ts";
export { type AuditRecord, type AuditSink, audit } from "./observers/audit.ts";
export { callLog } from "./observers/call-log.ts";
export { type CallMetrics, callMetrics, processMetrics, prometheusText } from "./observers/metrics.ts";
export type { Bug } from "./pipeline.ts";
export type { Prompt } from "./prompt.ts";
export { APP_MIME_TYPE, type Resource } from "./resource.ts";
export type { AppParts, Server, ServerOptions } from "./server-options.ts";
export { type Skill, skillResource } from "./skill.ts";
export type { AnyOutcome, Progress, RunTools, Tool } from "./tool.ts";
