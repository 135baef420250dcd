export type { ApprovalPart, ClientDecision } from "./approval.ts";
export type { ApprovalItem } from "./approval-item.ts";
export { Journal, type LostRequest, type NotSentFailure, sendRecorded } from "./journal.ts";
export { protect } from "./protect.ts";
export type {
  BudgetPart,
  OncePart,
  ProtectDependencies,
  ProtectedCall,
  ProtectOptions,
  SpendingCaps,
} from "./protect-options.ts";
export type { Receipt } from "./receipt.ts";
export type { Reading, RecordedRequests } from "./recorded-requests.ts";
export type { RefusalCodes } from "./refusal-codes.ts";
export type { RateLimit } from "./refusals.ts";
export { formatItem } from "./shown-item.ts";
export type { SqlDatabase } from "./sql.ts";
export { openSqlStorage, type SqlStorageOptions } from "./sql-storage.ts";
export { openSqlite } from "./sqlite.ts";
export type { JournalRequest, RequestRules } from "./step.ts";
export type { Decision, GuardStorage } from "./storage.ts";
