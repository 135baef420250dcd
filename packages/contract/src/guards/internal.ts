// For the servers of this repository. Not stable: names here may change in any release.

export {
  decidersIn,
  decisionDigest,
  type ItemContent,
  type ItemPeople,
  type ItemStatus,
  isReleased,
  isSigned,
  itemDigest,
  keyedDigest,
  peopleLine,
  personIn,
  personVia,
  type SignedItem,
  type StoredDecision,
  sameDigest,
  type Vote,
  votesIn,
  withVote,
} from "./approval-item.ts";
export {
  type AskPersonOptions,
  askPerson,
  type Consent,
  type DecisionRules,
  isAgent,
  MAX_REASON,
  type NoConsent,
  type PersonsAnswer,
  personsAnswer,
  type SeenItem,
} from "./ask-person.ts";
export {
  type Bill,
  type BilledOptions,
  billed,
  capsLeft,
  newBill,
  type PaidRead,
  type PaidWrites,
  payForRead,
} from "./bill.ts";
export {
  type BudgetCaps,
  type BudgetLedger,
  type CallerCaps,
  type Expense,
  hasCaps,
  type LedgerHold,
  type Limit,
  type LimitReached,
  type LimitWindow,
  lastToReset,
  neverFits,
  type OverBudget,
  overCaps,
  type Periods,
  periodsOf,
  type ReadPrice,
  type SpendingRecord,
  type Spent,
  windowEnd,
  windowNow,
  wouldExceed,
} from "./caps.ts";
export type {
  JournalOptions,
  NotSent,
  RequestOptions,
  RequestResult,
  SendPermit,
  StorageTrouble,
} from "./journal.ts";
export { allowSimilar, SIMILAR_FOR, type SimilarFor } from "./learning/allow-similar.ts";
export {
  argumentKinds,
  type CallFacts,
  FENCES,
  type Fence,
  groupKey,
  largestAmount,
  textsIn,
} from "./learning/call-facts.ts";
export {
  applyRule,
  CONDITION_NAMES,
  covers,
  isAbout,
  isWithin,
  type LearnedRule,
  MAX_RULE_DAYS,
  meets,
  RULE_DAYS,
  type RuleConditions,
  type RuleUse,
  ruleDates,
} from "./learning/learned-rule.ts";
export {
  MIN_DAYS,
  MIN_DECISIONS,
  type PastDecision,
  type ProposedRule,
  proposeRules,
} from "./learning/propose-rules.ts";
export { type RuleRehearsal, rehearseRule } from "./learning/rehearse-rule.ts";
export { fenceWords, proposalSentence, type RuleWords } from "./learning/rule-sentence.ts";
export { formatUsd, type Micros, microsOf, usdOf } from "./money.ts";
export {
  type Decided,
  isByPerson,
  MAX_REPORTED,
  type ProtectedSteps,
  type ReportedDecision,
  type ReportOptions,
  reportDecisions,
  runProtected,
  type WaitingCalls,
} from "./protect.ts";
export type {
  CallEnding,
  CallIdentity,
  EarlierCall,
  Finished,
  HeldReceipt,
  NotBegun,
  ReceiptAttempt,
  ReceiptState,
  ReceiptStorage,
  Repeated,
  StepStorage,
} from "./receipt.ts";
export { checkCodes, codeFor, type RefusalWords, refuse } from "./refusal-codes.ts";
export {
  type ClaimRefusal,
  describeRefusal,
  REFUSAL_ROLES,
  type Refusal,
  type RefusalAnswer,
  type RefusalReason,
  type RefusalRole,
  type RepeatRefusal,
} from "./refusals.ts";
export { type ReleaseOptions, releaseApproved } from "./release-approved.ts";
export { blockedFailure, leftoverResolver, type Resolved, type Resolver, resolveReceipt } from "./resolve.ts";
export {
  type RanWithReceipt,
  type ReceiptResult,
  type ReceiptRun,
  type RepeatedCall,
  type RunWithJournal,
  rebuildAnswer,
  resolveEarlier,
  runWithReceipt,
  UNSTORED_WARNING,
} from "./run-with-receipt.ts";
export { formatShown, type ShownItem } from "./shown-item.ts";
export {
  escapeInvisible,
  formatDuration,
  formatLines,
  oneLine,
  quotedLines,
  visible,
  visibleJson,
} from "./shown-text.ts";
export type { RunSql, SqlRow, SqlValue } from "./sql.ts";
export type { ReadBack, ReceiptTime, Step, StepEffect, StepState } from "./step.ts";
export type {
  Claim,
  Needs,
  NotClaimed,
  PersonsFinding,
  Proposal,
  StoredRecord,
} from "./storage.ts";
