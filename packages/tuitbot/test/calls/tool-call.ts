import type { OperationId } from "@toolpact/x-api";
import type { FaultRequest } from "@toolpact/x-sandbox";
import type { ErrorCode } from "../../src/errors.ts";
import type { LiveStage } from "../live-stage.ts";

/** Arguments of a call. */
export type Args = Record<string, unknown>;

/** Arguments for this stage; what they need may be brought about first. */
export type ArgsOn = (stage: LiveStage) => Args | Promise<Args>;

/** A successful call of a tool, and its specific failures. */
export interface ToolCall {
  readonly args: ArgsOn;
  /** Another call of the same kind, where the same thing can be done only once. */
  readonly fresh?: ArgsOn;
  /** For tools that may call any operation: the one that these arguments call. */
  readonly operation?: OperationId;
  readonly failures?: readonly ToolFailure[];
  /** Takes back what would keep the other tools from working. */
  readonly afterwards?: (stage: LiveStage) => void;
}

export interface ToolFailure {
  readonly what: string;
  readonly args: ArgsOn;
  readonly code: ErrorCode;
  readonly reason?: string;
  /** Trouble that is planned for it. */
  readonly fault?: FaultRequest;
  /** Whether X is asked at all. */
  readonly asksX: boolean;
}

export const none = (): Args => ({});
export const longText = "x".repeat(281);
export const nobody = "9999999999999999999";

export function notFound(args: ArgsOn): ToolFailure {
  return { what: "something that is not there", args, code: "not_found", asksX: true };
}

export function badInput(what: string, args: ArgsOn, reason?: string): ToolFailure {
  return { what, args, code: "invalid_input", ...(reason && { reason }), asksX: false };
}

export function tooLong(args: ArgsOn): ToolFailure {
  return { what: "a text that is too long", args, code: "tweet_too_long", asksX: false };
}

export const onPost: ToolCall = {
  args: ({ friendsPost }) => ({ tweet_id: friendsPost }),
  failures: [notFound(() => ({ tweet_id: "1" })), badInput("no post", () => ({ tweet_id: "that one" }))],
};

export const removed: ToolFailure = {
  what: "what X has removed",
  args: none,
  code: "x_forbidden",
  reason: "removed_by_x",
  asksX: false,
};
