import type { Bug } from "@toolpact/contract";

/** A bug as the operator sees it. Answers contain only its reference. */
export function bugText({ reference, where, error }: Bug): string {
  return `${where} ${reference}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}
