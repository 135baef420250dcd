import type { Bug } from "./pipeline.ts";
import { maskSecrets } from "./redact.ts";

/**
 * Describes a bug for a log: its trace and nothing else, since the other members of an error may hold a request and its
 * token. A trace repeats the error's message, which may quote a whole argument, so it is cut.
 */
export function bugText({ reference, where, error }: Bug): string {
  const trace = maskSecrets((error instanceof Error && error.stack) || "unknown error");
  const cut = trace.length > MAX_TRACE ? `${trace.slice(0, MAX_TRACE).toWellFormed()}…` : trace;
  return `${where} failed (${reference}): ${cut}`;
}

const MAX_TRACE = 4_000;
