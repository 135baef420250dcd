import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
} from "@modelcontextprotocol/server";

// JSON-RPC's message kinds without the SDK, whose schemas load slower than a whole start. A test compares
// both.

/** The codes of JSON-RPC that a transport itself reports. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;

export function isRequest(value: unknown): value is JSONRPCRequest {
  return isMessage(value, REQUEST) && isId(value.id) && isSent(value);
}

export function isNotification(value: unknown): value is JSONRPCNotification {
  return isMessage(value, NOTIFICATION) && isSent(value);
}

export function isResponse(value: unknown): value is JSONRPCResponse {
  if (isMessage(value, RESULT))
    return isId(value.id) && isObject(value.result) && isOptionalObject(value.result._meta);
  if (!isMessage(value, ERROR) || !(value.id === undefined || isId(value.id))) return false;
  const { error } = value;
  return isObject(error) && Number.isSafeInteger(error.code) && typeof error.message === "string";
}

/** Our own responses are valid by construction. */
export function isOwnResponse(message: JSONRPCMessage): message is JSONRPCResponse {
  return "result" in message || "error" in message;
}

const NOTIFICATION = ["jsonrpc", "method", "params"];
const REQUEST = ["id", ...NOTIFICATION];
const RESULT = ["jsonrpc", "id", "result"];
const ERROR = ["jsonrpc", "id", "error"];
const RELATED_TASK = "io.modelcontextprotocol/related-task";

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isOptionalObject(value: unknown): boolean {
  return value === undefined || isObject(value);
}

function isId(value: unknown): boolean {
  return typeof value === "string" || Number.isSafeInteger(value);
}

function isMessage(value: unknown, members: readonly string[]): value is Members {
  if (!isObject(value) || value.jsonrpc !== "2.0") return false;
  for (const key in value) if (!members.includes(key)) return false;
  return true;
}

function isSent({ method, params }: Members): boolean {
  if (typeof method !== "string") return false;
  if (params === undefined) return true;
  if (!isObject(params)) return false;
  const { _meta: meta } = params;
  if (meta === undefined) return true;
  if (!isObject(meta)) return false;
  const { progressToken, [RELATED_TASK]: task } = meta;
  return (
    (progressToken === undefined || isId(progressToken)) &&
    (task === undefined || (isObject(task) && typeof task.taskId === "string"))
  );
}
