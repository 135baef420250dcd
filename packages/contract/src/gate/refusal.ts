import type { JsonObject } from "../json.ts";
import { printable } from "../printable.ts";

/** Why the gate answers instead of the server. */
export type GateCode =
  | "denied_by_policy"
  | "waiting_for_person"
  | "rejected_by_person"
  | "inbox_full"
  | "in_doubt"
  | "still_running"
  | "key_reused"
  | "limit_reached"
  | "over_budget"
  | "server_unreachable"
  | "bad_arguments"
  | "settled_by_person";

/** Where clients find what the gate has to say of an answer. */
export const GATE_META = "io.toolpact/gate";

/** What whoever asks for the protocol's tasks extension is told. */
export const NO_TASKS = "A gate has no tasks: each call is answered when it is done.";

/** An answer of the gate itself. It is an error: the tool has not answered, and its output schema is not kept. */
export function refusal(code: GateCode, message: string, details: JsonObject = {}): JsonObject {
  return {
    content: [{ type: "text", text: printable(message) }],
    isError: true,
    _meta: { [GATE_META]: { code, ...details } },
  };
}

/** The code of such an answer; undefined for one of the server. */
export function codeOf(result: JsonObject): string | undefined {
  // The gate alone writes this member: it is removed from what the server answers.
  const meta = (result._meta as JsonObject | undefined)?.[GATE_META] as JsonObject | undefined;
  return typeof meta?.code === "string" ? meta.code : undefined;
}
