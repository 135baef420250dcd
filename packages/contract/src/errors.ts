import { type Failed, failed } from "@toolpact/outcome";
import type { JsonObject } from "./json.ts";

/** One row of a product's closed set of errors. */
export interface ErrorRow {
  readonly category: string;
  readonly retryable: boolean;
  readonly meaning: string;
  /** The causes this code may give in `reason`. */
  readonly reasons?: readonly string[];
}

type ErrorRows = Readonly<Record<string, ErrorRow>>;

/** Codes for answers of the library itself. */
export interface ErrorRoles<Code extends string> {
  readonly badInput: Code;
  readonly duplicate: Code;
  readonly deadline: Code;
  /** A bug. */
  readonly internal: Code;
}

/** Why a call failed. The code determines whether it may be retried. */
export interface Failure<Code extends string = string> extends FailureDetail {
  readonly code: Code;
  readonly message: string;
}

/** More facts about a failure. */
export interface FailureDetail<Reason extends string = string> {
  readonly reason?: Reason;
  /** Determined by the code, so it cannot differ between tools. */
  readonly retryable?: never;
  readonly retryAfterMs?: number;
  /** ISO-8601 time at which a limit resets. */
  readonly rateLimitReset?: string;
  readonly policyDecision?: string;
  /** The next step. */
  readonly suggestedFix?: string;
  readonly fixBy?: "agent" | "operator" | "human";
  readonly details?: JsonObject;
}

type ReasonOf<Row extends ErrorRow> = Row extends { readonly reasons: readonly (infer R extends string)[] }
  ? R
  : never;

/** A product's closed set of errors, with a function to fail with one of them. */
export interface ErrorSet<Rows extends ErrorRows> extends AnyErrorSet {
  readonly rows: Rows;
  readonly roles: ErrorRoles<keyof Rows & string>;
  fail<Code extends keyof Rows & string>(
    code: Code,
    message: string,
    detail?: FailureDetail<ReasonOf<Rows[Code]>>,
  ): Failed<Failure<Code>>;
}

/** A set whose codes are only known at run time. */
export interface AnyErrorSet {
  readonly rows: ErrorRows;
  readonly roles: ErrorRoles<string>;
}

/** The codes of a set, as a union. */
export type CodeOf<Errors extends AnyErrorSet> = keyof Errors["rows"] & string;

/**
 * Defines a closed set of errors. With rows only, they are added to the common ones: `bad_input`, `duplicate`,
 * `not_found`, `denied`, `busy`, `too_slow` and `bug`. With roles, the set has exactly the given rows.
 *
 * ```ts
 * const errors = defineErrors({
 *   mailbox_full: { category: "mail", retryable: false, meaning: "The mailbox is full" },
 * });
 * errors.fail("mailbox_full", "The mailbox has 1,000 letters.", { suggestedFix: "Delete some." });
 * errors.fail("busy", "Three reports are being written already.", { retryAfterMs: 500 });
 * ```
 */
export function defineErrors<const Rows extends ErrorRows>(rows: Rows): ErrorSet<Rows & CommonRows>;
export function defineErrors<const Rows extends ErrorRows>(
  rows: Rows,
  roles: ErrorRoles<keyof Rows & string>,
): ErrorSet<Rows>;
export function defineErrors(rows: ErrorRows, roles?: ErrorRoles<string>): ErrorSet<ErrorRows> {
  return {
    rows: roles === undefined ? { ...COMMON_ROWS, ...rows } : rows,
    roles: roles ?? COMMON_ROLES,
    fail: (code, message, detail) => failed({ ...detail, code, message }),
  };
}

type CommonRows = typeof COMMON_ROWS;

/** The errors every server needs, worded for servers without their own. */
const COMMON_ROWS = {
  bad_input: { category: "input", retryable: false, meaning: "An argument is missing or wrong" },
  duplicate: {
    category: "input",
    retryable: false,
    meaning: "The same call was made a moment ago",
    reasons: ["duplicate_request"],
  },
  not_found: { category: "resource", retryable: false, meaning: "The requested item does not exist" },
  denied: { category: "permission", retryable: false, meaning: "The call is not allowed" },
  busy: { category: "server", retryable: true, meaning: "The call can be made later" },
  too_slow: { category: "server", retryable: true, meaning: "The deadline passed" },
  bug: { category: "server", retryable: false, meaning: "A bug in this server" },
} as const satisfies ErrorRows;

const COMMON_ROLES: ErrorRoles<keyof CommonRows> = {
  badInput: "bad_input",
  duplicate: "duplicate",
  deadline: "too_slow",
  internal: "bug",
};

/** True if retrying may help. */
export function isRetryable({ code }: Pick<Failure, "code">, errors: AnyErrorSet): boolean {
  return errors.rows[code]?.retryable ?? false;
}
