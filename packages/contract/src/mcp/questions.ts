import {
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { AskRequest, Asks } from "../ask.ts";
import { digest, type JsonObject } from "../json.ts";
import type { Connection } from "./internals.ts";
import type { AskedCall, BoundState } from "./request.ts";

export function invalid(message: string, data?: JsonObject): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, data);
}

/** The connection has outlived its token. */
export function tokenEnded(): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    "The token of this connection is not valid any more: it was revoked, replaced or has expired.",
  );
}

/** Asks the user, bound to the call. */
export async function inputRequiredOf(
  { asks, state }: Asks,
  { codec }: Connection,
  ctx: ServerContext,
  { name, args }: AskedCall,
): Promise<InputRequiredResult> {
  const bound: BoundState = {
    name,
    args: digest(args),
    once: crypto.randomUUID(),
    ...(state !== undefined && { state }),
  };
  return inputRequired({
    inputRequests: Object.fromEntries(
      Object.entries(asks).map(([key, request]) => [key, inputRequestOf(request)]),
    ),
    requestState: await (await codec()).mint(bound, ctx),
  });
}

export function inputRequestOf(request: AskRequest) {
  switch (request.kind) {
    case "form":
      return inputRequired.elicit({ message: request.message, requestedSchema: request.schema });
    case "url":
      return inputRequired.elicitUrl({ message: request.message, url: request.url });
    case "sample":
      return inputRequired.createMessage({
        messages: [{ role: "user", content: { type: "text", text: request.prompt } }],
        maxTokens: request.maxTokens,
      });
    case "roots":
      return inputRequired.listRoots();
  }
}
