import { isOperationId } from "@toolpact/x-api/operations";
import { isObject } from "./json.ts";
import { oauthEndpointNames } from "./oauth/endpoints.ts";

const faultKinds = [
  "drop", // the connection closes without an answer
  "reset", // the connection is reset
  "hang", // no answer ever comes
  "error", // X fails with `{"errors": ["internal server error"]}`
  "html", // X fails with a page
  "slow", // the body comes in pieces
  "stall", // the body stops half-way
  "unauthorized", // 401, as if the token had just expired
  "rate_limited", // 429, as if the window were used up
  "late", // no answer ever comes, and the request takes effect `delayMs` later, after the caller has hung up
  "late_reset", // the same with a connection that is reset at once
] as const;

export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  /** An operation id, an endpoint such as `oauth2.token`, or `*`. */
  readonly operation: string;
  readonly kind: FaultKind;
  /** Only drop, reset, hang, error and html support both. */
  readonly when: "before" | "after";
  /** The first affected match, counted from now. */
  readonly at: number;
  /** Consecutive requests. */
  readonly count: number;
  /** For `error` and `html`. */
  readonly status: number;
  /** Pieces of `slow` and their pause; the delay of `late`, in sandbox time. */
  readonly chunks: number;
  readonly delayMs: number;
}

export type FaultRequest = Pick<Fault, "operation" | "kind"> & Partial<Fault>;

export interface PlannedFault extends Fault {
  /** Since the fault was added. */
  readonly seen: number;
}

export class FaultPlan {
  #planned: { readonly fault: Fault; seen: number }[] = [];

  add(wish: FaultRequest): void {
    const fault: Fault = {
      when: traits[wish.kind].when,
      at: 1,
      count: 1,
      status: 503,
      chunks: 4,
      delayMs: 50,
      ...wish,
    };
    this.#planned.push({ fault, seen: 0 });
  }

  clear(): void {
    this.#planned = [];
  }

  get planned(): readonly PlannedFault[] {
    return this.#planned.map(({ fault, seen }) => ({ seen, ...fault }));
  }

  /** Counts the request. */
  meet(operation: string): Fault | undefined {
    if (this.#planned.length === 0) return undefined;
    let met: Fault | undefined;
    for (const planned of this.#planned) {
      const { fault } = planned;
      if (fault.operation !== "*" && fault.operation !== operation) continue;
      planned.seen++;
      if (planned.seen >= fault.at && planned.seen < fault.at + fault.count) met ??= fault;
    }
    this.#planned = this.#planned.filter(({ fault, seen }) => seen < fault.at + fault.count - 1);
    return met;
  }
}

export function parseFaultRequest(value: unknown): FaultRequest | { readonly complaint: string } {
  if (!isObject(value)) return { complaint: "A fault is an object with `operation` and `kind`." };
  const { operation, when } = value;
  if (typeof operation !== "string" || !isTarget(operation)) {
    const names = [...oauthEndpointNames, "*"].join(", ");
    return { complaint: `\`operation\` must be an operation id such as createPosts, or one of ${names}.` };
  }
  const kind = faultKinds.find((candidate) => candidate === value.kind);
  if (kind === undefined) return { complaint: `\`kind\` must be one of ${faultKinds.join(", ")}.` };
  const allowed: readonly string[] = ["operation", "kind", "at", "count", ...traits[kind].choices];
  const stray = Object.keys(value).find((name) => !allowed.includes(name));
  if (stray !== undefined)
    return { complaint: `${kind} has no \`${stray}\`; it takes ${allowed.join(", ")}.` };
  if (when !== undefined && when !== "before" && when !== "after")
    return { complaint: "`when` must be before or after." };
  const numbers: { -readonly [Name in NumberName]?: number } = {};
  for (const [name, [least, most]] of bounds) {
    const number = value[name];
    if (number === undefined) continue;
    if (typeof number !== "number" || !Number.isInteger(number) || number < least || number > most)
      return { complaint: `\`${name}\` must be a whole number from ${least} to ${most}.` };
    numbers[name] = number;
  }
  return { operation, kind, ...(when !== undefined && { when }), ...numbers };
}

function isTarget(operation: string): boolean {
  return operation === "*" || isOperationId(operation) || oauthEndpointNames.includes(operation);
}

type NumberName = "at" | "count" | "status" | "chunks" | "delayMs";

const bounds: readonly (readonly [NumberName, readonly [least: number, most: number]])[] = [
  ["at", [1, 1_000_000]],
  ["count", [1, 1_000_000]],
  ["status", [400, 599]],
  ["chunks", [1, 10_000]],
  ["delayMs", [1, 600_000]],
];

interface Traits {
  readonly when: Fault["when"];
  readonly choices: readonly ("when" | NumberName)[];
}

const traits: Readonly<Record<FaultKind, Traits>> = {
  drop: { when: "after", choices: ["when"] },
  reset: { when: "after", choices: ["when"] },
  hang: { when: "after", choices: ["when"] },
  error: { when: "before", choices: ["when", "status"] },
  html: { when: "before", choices: ["when", "status"] },
  slow: { when: "after", choices: ["chunks", "delayMs"] },
  stall: { when: "after", choices: [] },
  unauthorized: { when: "before", choices: [] },
  rate_limited: { when: "before", choices: [] },
  late: { when: "before", choices: ["delayMs"] },
  late_reset: { when: "before", choices: ["delayMs"] },
};
