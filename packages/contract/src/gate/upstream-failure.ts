import { type Client, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { UpstreamPlace } from "./upstream-place.ts";

/**
 * Classifies a failed request: the server `answered` with an error, nothing can have happened (`not_sent`), or its outcome is
 * unknown (`lost`).
 */
export function failureKind(error: unknown): "answered" | "not_sent" | "lost" {
  if (error instanceof ProtocolError)
    return error.code === STREAM_ENDED.code && error.message.includes(STREAM_ENDED.message)
      ? "lost"
      : "answered";
  if (error instanceof UpstreamUnreachable) return "not_sent";
  if (error instanceof SdkHttpError) {
    const { status } = error;
    return status !== undefined && status >= 400 && status < 500 && status !== 408 ? "not_sent" : "lost";
  }
  if (error instanceof SdkError && NEVER_SENT.has(error.code)) return "not_sent";
  return isRefused(error) ? "not_sent" : "lost";
}

const NEVER_SENT: ReadonlySet<string> = new Set([
  SdkErrorCode.NotConnected,
  SdkErrorCode.NotInitialized,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.MethodNotSupportedByProtocolVersion,
]);

/** Nobody listens at the address. */
function isRefused(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if ("code" in at && (at.code === "ECONNREFUSED" || at.code === "ENOTFOUND")) return true;
  return false;
}

/** Turns the failure of a request into the error that the client gets. */
export function asProtocolError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const { message } = error as Error;
  return new ProtocolError(
    ProtocolErrorCode.InternalError,
    failureKind(error) === "not_sent" ? message : `The upstream server gave no answer: ${message}`,
  );
}

/** The error of a response stream that ended without the response. */
export const STREAM_ENDED = { code: -32_097, message: "The connection ended before the answer came." };

/** Servers from before 2026 have sessions, and reject requests of an unknown one with 404, some with 400. */
export function isSessionLost({ transport }: Client, error: unknown): boolean {
  return (
    transport?.sessionId !== undefined &&
    error instanceof SdkHttpError &&
    (error.status === 404 || error.status === 400)
  );
}

/** Thrown if no connection could be made, so nothing was sent. */
export class UpstreamUnreachable extends Error {
  constructor(place: UpstreamPlace, cause: Error) {
    super(`The server cannot be reached: ${whyUnreachable(place, cause)}`, { cause });
  }
}

function whyUnreachable(place: UpstreamPlace, error: Error): string {
  const causes: Error[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) causes.push(at);
  if ("command" in place) {
    const { command } = place;
    if (causes.some((cause) => "code" in cause && cause.code === "ENOENT"))
      return `there is no program ${JSON.stringify(command)}.`;
    if (causes.some((cause) => cause instanceof SdkError && cause.code === SdkErrorCode.ConnectionClosed))
      return `${JSON.stringify(command)} ended, or closed its output, before it answered. Run it by itself to see why.`;
  }
  const refused = causes.find((cause) => cause instanceof SdkHttpError);
  if (refused?.status === 401 || refused?.status === 403)
    return `it refuses this gate with ${refused.status}. Give its token with --token-env NAME.`;
  // The last cause has the reason; those above it name the place.
  return causes.at(-1)?.message || error.message;
}
