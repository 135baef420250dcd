import type { Tool } from "@toolpact/contract";
import { type OperationId, operations } from "@toolpact/x-api";
import type { FaultRequest } from "@toolpact/x-sandbox";
import type { ErrorCode } from "../../src/errors.ts";
import { isOfApp } from "./operations.ts";

export interface Trouble {
  readonly fault: Omit<FaultRequest, "operation">;
  readonly code: ErrorCode;
  readonly reason?: string;
  /** Whether X may have done what it was asked, and did not say. */
  readonly isAnswerLost?: boolean;
}

/** Each way in which X can fail a tool, and what becomes of it. */
export function troubles(tool: Tool, operation: OperationId): readonly Trouble[] {
  // Reads are repeated twice, except for those that are sent as they are.
  const isRepeated = operations[operation].method === "GET" && tool.name !== "x_get";
  const count = isRepeated ? 3 : 1;
  // The first post of a thread may then be out.
  const isThread = tool.name === "x_post_thread";
  // X rejects the file there.
  const isUpload = tool.name === "x_upload_media";
  const refused = (code: ErrorCode): ErrorCode => (isUpload ? "media_upload_error" : code);
  return [
    { fault: { kind: "rate_limited" }, code: "x_rate_limited", reason: "window" },
    // Only a person's token is renewed and tried again.
    { fault: { kind: "unauthorized", count: isOfApp(operation) ? 1 : 2 }, code: "x_auth_expired" },
    { fault: { kind: "error", status: 400 }, code: refused("invalid_input") },
    { fault: { kind: "error", status: 402 }, code: "x_forbidden", reason: "credits_depleted" },
    { fault: { kind: "error", status: 403 }, code: refused("x_forbidden") },
    { fault: { kind: "error", status: 404 }, code: refused("not_found") },
    {
      fault: { kind: "html", status: 502, count },
      code: isThread ? "thread_partial_failure" : "x_api_error",
      isAnswerLost: true,
    },
    {
      fault: { kind: "drop", when: "before", count },
      code: isThread ? "thread_partial_failure" : "x_network_error",
      isAnswerLost: true,
    },
  ];
}
