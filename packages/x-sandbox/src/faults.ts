import { isOperationId } from "@toolpact/x-api/operations";
import { isObject } from "./json.ts";

/** How an answer can be spoilt. */
export const faultKinds = [
  "drop", // the connection closes without an answer
  "reset", // the connection is reset
  "hang", // no answer ever comes
  "error", // X fails with `{"errors": ["internal server error"]}`
  "html", // X fails with a page
  "slow", // the body comes in pieces
  "stall", // the body stops half-way
  "unauthorized", // 401, as if the token had just expired
  "rate_limited", // 429, as if the window were used up
] as const;

export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  /** Operation id, `oauth2.token`, `oauth2.revoke`, or `*` for all. */
  readonly operation: string;
  readonly kind: FaultKind;
  /** Before the request takes effect, or after. Only drop, reset, hang, error and html have the choice. */
  readonly when: "before" | "after";
  /** Which matching request, counted from now, is the first to suffer. */
  readonly at: number;
  /** How many in a row suffer. */
  readonly count: number;
  /** Status of `error` and `html`. */
  readonly status: number;
  /** Pieces of a `slow` body, and the wait between them. */
  readonly chunks: number;
  readonly delayMs: number;
}

export type FaultWish = Pick<Fault, "operation" | "kind"> & Partial<Fault>;

export interface PlannedFault extends Fault {
  readonly id: number;
  /** Matching requests since it was planned. */
  readonly seen: number;
}

/** The faults that are planned, in the order in which they were asked for. */
export class FaultPlan {
  #planned: { readonly id: number; readonly fault: Fault; seen: number }[] = [];
  #lastId = 0;

  add(wish: FaultWish): number {
    const fault: Fault = {
      when: defaultMoment[wish.kind],
      at: 1,
      count: 1,
      status: 503,
      chunks: 4,
      delayMs: 50,
      ...wish,
    };
    this.#planned.push({ id: ++this.#lastId, fault, seen: 0 });
    return this.#lastId;
  }

  remove(id: number): boolean {
    const before = this.#planned.length;
    this.#planned = this.#planned.filter((planned) => planned.id !== id);
    return this.#planned.length < before;
  }

  clear(): void {
    this.#planned = [];
  }

  get planned(): readonly PlannedFault[] {
    return this.#planned.map(({ id, fault, seen }) => ({ id, seen, ...fault }));
  }

  /** Counts a request and says which fault, if any, it meets. */
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

/** Reads a wish that came as JSON; says what is wrong with it otherwise. */
export function faultWishOf(value: unknown): FaultWish | { readonly complaint: string } {
  if (!isObject(value)) return { complaint: "A fault is an object with `operation` and `kind`." };
  const { operation, kind, when } = value;
  if (
    typeof operation !== "string" ||
    !(operation === "*" || isOperationId(operation) || operation.startsWith("oauth2."))
  ) {
    return { complaint: "`operation` must be an operation id such as createPosts, oauth2.token, or *." };
  }
  const known = faultKinds.find((candidate) => candidate === kind);
  if (known === undefined) return { complaint: `\`kind\` must be one of ${faultKinds.join(", ")}.` };
  if (when !== undefined && when !== "before" && when !== "after")
    return { complaint: "`when` must be before or after." };
  const numbers: { -readonly [K in "at" | "count" | "status" | "chunks" | "delayMs"]?: number } = {};
  for (const name of ["at", "count", "status", "chunks", "delayMs"] as const) {
    const number = value[name];
    if (number === undefined) continue;
    if (typeof number !== "number" || !Number.isInteger(number) || number < 1)
      return { complaint: `\`${name}\` must be a whole number from 1.` };
    numbers[name] = number;
  }
  return { operation, kind: known, ...(when !== undefined && { when }), ...numbers };
}

const defaultMoment: Readonly<Record<FaultKind, Fault["when"]>> = {
  drop: "after",
  reset: "after",
  hang: "after",
  error: "before",
  html: "before",
  slow: "after",
  stall: "after",
  unauthorized: "before",
  rate_limited: "before",
};
