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
export {
  type CallArgs,
  createXClient,
  type RetryOptions,
  retryReads,
  withCallDefaults,
  type XClient,
  type XClientOptions,
} from "./client.ts";
export { type Clock, systemClock, XTime } from "./clock.ts";
export {
  type ForbiddenReason,
  forbiddenReasons,
  isRetryable,
  isTransient,
  mayHaveTakenEffect,
  type NetworkCause,
  networkError,
  type ProviderError,
  type ProviderErrorKind,
} from "./errors.ts";
export {
  type NotSent,
  notSent,
  type RequestJournal,
  type SendPermit,
  type WriteRequest,
  type WriteResult,
} from "./journal.ts";
export { type ErrorSetting, mapError } from "./map-error.ts";
export { type FileProblem, HEAD_BYTES, type MediaKind, mediaKindOf } from "./media/media-file.ts";
export {
  type ProcessingProblem,
  type UploadedMedia,
  type UploadFailure,
  type UploadOptions,
  type UploadProgress,
  uploadMedia,
} from "./media/upload.ts";
export { type BrowserLoginOptions, loginInBrowser } from "./oauth/browser-login.ts";
export { beginLogin, finishLogin, type PendingLogin, scopesFor } from "./oauth/login.ts";
export type { OAuthError } from "./oauth/oauth-error.ts";
export type { Grant, OAuthApp, OAuthEnvironment } from "./oauth/token-endpoint.ts";
export { parseGrant, printGrant, Secret, type TokenStorage, tokensAreBusy } from "./oauth/token-file.ts";
export { TokenKeeper, type TokenKeeperOptions } from "./oauth/token-keeper.ts";
export * from "./operations/index.ts";
export { matchesTemplate, operationAt, type Route } from "./operations/index.ts";
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
export { limitHeaders, wholeNumberIn } from "./rate-windows.ts";
export {
  createRawSender,
  type Pair,
  type RawAnswer,
  type RawRequest,
  type RawSender,
  type RawSenderOptions,
  type XHost,
  xHosts,
} from "./raw-request.ts";
export type { CallInput, QueryValue } from "./request-plan.ts";
export * from "./text/index.ts";
export type { Token, TokenKind, TokenSource } from "./tokens.ts";
export type { SendArgs } from "./transport.ts";
