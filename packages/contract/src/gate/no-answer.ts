import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { failureKind } from "./upstream.ts";

/** What the client is told of a request that got no result. */
export function asProtocolError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const { message } = error as Error;
  return new ProtocolError(
    ProtocolErrorCode.InternalError,
    failureKind(error) === "not_sent" ? message : `The server behind this gate gave no answer: ${message}`,
  );
}
