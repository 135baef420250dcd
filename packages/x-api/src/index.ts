export type { Pagination, PartialError, XAnswer } from "./answer.ts";
export {
  type Access,
  type Action,
  type Availability,
  actionRules,
  availabilityOf,
  type Evidence,
  type Need,
  type Plan,
  type RemovedOperation,
  removedOperations,
  selfServeCashtags,
} from "./availability.ts";
export { type CallArgs, createXClient, type XClient, type XClientOptions } from "./client.ts";
export { type Clock, systemClock } from "./clock.ts";
export {
  type ForbiddenReason,
  forbiddenReasons,
  isRetryable,
  isTransient,
  mayHaveTakenEffect,
  type NetworkCause,
  type ProviderError,
  type ProviderErrorKind,
} from "./errors.ts";
export { limitHeaders, wholeNumberIn } from "./limit-headers.ts";
export { type ErrorSetting, mapError } from "./map-error.ts";
export * from "./media/index.ts";
export { networkError } from "./network-error.ts";
export * from "./oauth/index.ts";
export * from "./operations/index.ts";
export { type AllPages, type PageBounds, type PagesEnd, readAllPages, readPages } from "./pages.ts";
export {
  type Price,
  type PriceAfter,
  type PriceBefore,
  type PriceContext,
  type PricedCall,
  priceAfter,
  priceBefore,
} from "./price.ts";
export type { RateWindow } from "./rate-windows.ts";
export type { CallInput, QueryValue } from "./request-plan.ts";
export { type RetryOptions, retryReads } from "./retry-reads.ts";
export * from "./text/index.ts";
export type { Token, TokenKind, TokenSource } from "./tokens.ts";
