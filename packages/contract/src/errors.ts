import { type Failed, failed } from "@toolpact/outcome";
import type { JsonObject } from "./json.ts";

/** One row of a product's closed set of errors. */
export interface ErrorRow {
  readonly category: string;
  readonly retryable: boolean;
  readonly meaning: string;
  /** The finer causes this code may carry in `reason`. */
  readonly reasons?: readonly string[];
}

type ErrorRows = Readonly<Record<string, ErrorRow>>;

/** The code with which the library itself answers, where no tool is there to choose one. */
export interface ErrorRoles<Code extends string> {
  /** Arguments that do not fit the tool's schema. */
  readonly badInput: Code;
  /** The same call came twice within the idempotency window. */
  readonly duplicate: Code;
  /** The tool's deadline passed. */
  readonly deadline: Code;
  /** A bug. */
  readonly internal: Code;
}

/** Why a call failed. Whether it may be retried follows from the code, unless the failure knows that it cannot help. */
export interface Failure<Code extends string = string> extends FailureDetail {
  readonly code: Code;
  /** What happened and why, in the product's own words. */
  readonly message: string;
}

/** What else is known about a failure. */
export interface FailureDetail<Reason extends string = string> {
  readonly reason?: Reason;
  /** Set where trying again cannot help before somebody has done something, although the code allows it. */
  readonly retryable?: false;
  readonly retryAfterMs?: number;
  /** ISO-8601 time at which a limit opens again. */
  readonly rateLimitReset?: string;
  readonly policyDecision?: string;
  /** What to do next. */
  readonly suggestedFix?: string;
  /** Who can do it. */
  readonly fixBy?: "agent" | "operator" | "human";
  readonly details?: JsonObject;
}

type ReasonOf<Row extends ErrorRow> = Row extends { readonly reasons: readonly (infer R extends string)[] }
  ? R
  : never;

/** A product's closed set of errors, and the one way to fail with one of them. */
export interface ErrorSet<Rows extends ErrorRows> extends AnyErrorSet {
  readonly rows: Rows;
  readonly roles: ErrorRoles<keyof Rows & string>;
  fail<Code extends keyof Rows & string>(
    code: Code,
    message: string,
    detail?: FailureDetail<ReasonOf<Rows[Code]>>,
  ): Failed<Failure<Code>>;
}

/** A set whose codes are known only at run time. */
export interface AnyErrorSet {
  readonly rows: ErrorRows;
  readonly roles: ErrorRoles<string>;
}

/** The codes of a set, as a union. */
export type CodeOf<Errors extends AnyErrorSet> = keyof Errors["rows"] & string;

/**
 * Closes a product's set of errors.
 *
 * ```ts
 * const errors = defineErrors(
 *   {
 *     bad_input: { category: "input", retryable: false, meaning: "An argument is wrong" },
 *     busy: { category: "server", retryable: true, meaning: "Try again later" },
 *     bug: { category: "server", retryable: false, meaning: "A defect in this server" },
 *   },
 *   { badInput: "bad_input", duplicate: "bad_input", deadline: "busy", internal: "bug" },
 * );
 * errors.fail("busy", "Three reports are being written already.", { retryAfterMs: 500 });
 * ```
 */
export function defineErrors<const Rows extends ErrorRows>(
  rows: Rows,
  roles: ErrorRoles<keyof Rows & string>,
): ErrorSet<Rows> {
  return {
    rows,
    roles,
    fail: (code, message, detail) => failed({ ...detail, code, message }),
  };
}

/** Whether trying again may help. */
export function isRetryable(failure: Failure, errors: AnyErrorSet): boolean {
  return failure.retryable ?? errors.rows[failure.code]?.retryable ?? false;
}
