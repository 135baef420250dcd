import { runInNewContext } from "node:vm";

const MAX_MATCH_MS = 2_000;

/**
 * Evaluates JavaScript that matches an untrusted expression. Undefined if it takes too long: an expression may take
 * exponential time, and can be interrupted only in a separate context.
 */
export function matchInTime<T>(code: string, values: Readonly<Record<string, unknown>>): T | undefined {
  try {
    return runInNewContext(code, { ...values }, { timeout: MAX_MATCH_MS }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    return undefined;
  }
}
