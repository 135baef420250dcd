import type { Bug } from "@toolpact/contract";

/** A defect as the operator reads it; answers carry its reference only. */
export function bugText({ reference, where, error }: Bug): string {
  return `${where} ${reference}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}
