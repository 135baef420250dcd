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
  withCallDefaults,
  type XClient,
  type XClientOptions,
} from "./client.ts";
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
export {
  type NotSent,
  notSent,
  type RequestJournal,
  type SendPermit,
  type WriteRequest,
  type WriteResult,
} from "./journal.ts";
export { type ErrorSetting, mapError } from "./map-error.ts";
export type { FileProblem } from "./media/media-file.ts";
export { HEAD_BYTES, type MediaKind, mediaKindOf } from "./media/media-kind.ts";
export type { ProcessingProblem } from "./media/processing.ts";
export {
  type UploadedMedia,
  type UploadFailure,
  type UploadOptions,
  type UploadProgress,
  uploadMedia,
} from "./media/upload.ts";
export { networkError } from "./network-error.ts";
export { type BrowserLoginOptions, loginInBrowser } from "./oauth/browser-login.ts";
export type { OAuthApp, OAuthEnvironment } from "./oauth/environment.ts";
export { beginLogin, finishLogin, type PendingLogin } from "./oauth/login.ts";
export type { OAuthError } from "./oauth/oauth-error.ts";
export { scopesFor } from "./oauth/scopes.ts";
export { Secret } from "./oauth/secret.ts";
export type { Grant } from "./oauth/token-endpoint.ts";
export { TokenKeeper, type TokenKeeperOptions } from "./oauth/token-keeper.ts";
export { parseGrant, printGrant, type TokenStorage, tokensAreBusy } from "./oauth/token-storage.ts";
export * from "./operations/index.ts";
export { matchesTemplate, operationAt, type Route } from "./operations/route.ts";
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
export { type RetryOptions, retryReads } from "./retry-reads.ts";
export * from "./text/index.ts";
export type { Token, TokenKind, TokenSource } from "./tokens.ts";
export type { SendArgs } from "./transport.ts";
export { XTime } from "./x-time.ts";
