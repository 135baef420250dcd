import { type Failed, failed } from "@toolpact/outcome";
import type { AnyErrorSet, CodeOf, Failure } from "../errors.ts";
import type { ReceiptAttempt } from "./receipt.ts";
import {
  describeRefusal,
  REFUSAL_ROLES,
  type Refusal,
  type RefusalAnswer,
  type RefusalReason,
  type RefusalRole,
} from "./refusals.ts";

/** The codes of refusals: `retry` for calls that may be repeated, `refused` for the rest, and optional finer ones. */
export interface RefusalCodes<Errors extends AnyErrorSet>
  extends Readonly<Partial<Record<Exclude<RefusalRole | RefusalReason, RetryName>, CodeWith<Errors, false>>>>,
    Readonly<Partial<Record<RetryName, CodeWith<Errors, true>>>> {
  readonly retry: CodeWith<Errors, true>;
  readonly refused: CodeWith<Errors, false>;
}

/** Roles and reasons after which the call may be repeated. */
type RetryName =
  | "retry"
  | "limit"
  | {
      [Reason in RefusalReason]: (typeof REFUSAL_ROLES)[Reason] extends "retry" | "limit" ? Reason : never;
    }[RefusalReason];

type CodeWith<Errors extends AnyErrorSet, Retryable extends boolean> = {
  [Code in CodeOf<Errors>]: Retryable extends Errors["rows"][Code]["retryable"] ? Code : never;
}[CodeOf<Errors>];

type AnyCodes = { readonly [Name in RefusalRole | RefusalReason]?: string | undefined } & {
  readonly retry: string;
  readonly refused: string;
};

/** The code of a reason, or else of its role. */
export function codeFor(codes: AnyCodes, role: RefusalRole, reason?: RefusalReason): string {
  const own = reason === undefined ? undefined : codes[reason];
  return own ?? codes[role] ?? (role === "limit" ? codes.retry : codes.refused);
}

export function codesFor(codes: AnyCodes, roles: readonly RefusalRole[]): readonly string[] {
  const reasons = (Object.keys(REFUSAL_ROLES) as RefusalReason[]).filter((reason) =>
    roles.includes(REFUSAL_ROLES[reason]),
  );
  return [...new Set(reasons.map((reason) => codeFor(codes, REFUSAL_ROLES[reason], reason)))];
}

/** Throws if a code is not in the set, or its `retryable` contradicts its role. */
export function checkCodes(errors: AnyErrorSet, codes: AnyCodes): void {
  for (const [reason, role] of Object.entries(REFUSAL_ROLES)) {
    const code = codeFor(codes, role, reason as RefusalReason);
    const row = errors.rows[code];
    if (row === undefined)
      throw new Error(`The code ${code} for ${role} is not one of the product's errors.`);
    const needed = role === "retry" || role === "limit";
    if (row.retryable !== needed)
      throw new Error(
        `The code ${code} for ${role} has retryable: ${row.retryable}, and calls refused this way ${needed ? "may be made again" : "must not be repeated"}.`,
      );
  }
}

/** Replaces the words of an answer, or adds to its details. */
export type RefusalWords<R extends ReceiptAttempt = ReceiptAttempt> = (
  answer: RefusalAnswer,
  refusal: Refusal<R>,
) => Partial<Pick<Failure, "message" | "suggestedFix" | "details">>;

export function refuse<R extends ReceiptAttempt>(
  refusal: Refusal<R>,
  about: { readonly tool: string; readonly now: number },
  codes: AnyCodes,
  words?: RefusalWords<R>,
): Failed<Failure> {
  const { role, ...answer } = describeRefusal(refusal, about);
  const code = codeFor(codes, role, answer.reason);
  return failed({ code, ...answer, ...words?.({ role, ...answer }, refusal) });
}
