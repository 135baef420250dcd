import type { JsonObject } from "@toolpact/contract";

/**
 * Servers have their default settings, with time-outs of half a minute. To shorten runs, time passes faster for the
 * servers and their X alike.
 */
export const SPEED = 5;

/** The time on a clock that was right at `beganAt` and has run fast since. */
export function fastTime(beganAt: number, now: number): number {
  return beganAt + (now - beganAt) * SPEED;
}

/** The trouble that a server gets. */
export interface Doom {
  readonly death: Death;
  /** When time began to run fast; at its own speed where it is left out. */
  readonly fastSince?: number;
  /** How far its clock is ahead of the machine's. */
  readonly clockAheadMs: number;
  /** How wrong its clock is besides: it and X's are apart by this. */
  readonly clockSkewMs?: number;
  /** Its clock is set while its nth request to X is under way. */
  readonly clockJump?: { readonly request: number; readonly byMs: number };
  /** The nth answer of X comes from a server with a wrong clock. */
  readonly wrongDate?: { readonly answer: number; readonly byMs: number };
}

/** A call of an agent, and the trouble that its server gets. */
export interface DoomedCall extends Doom {
  readonly tool: string;
  readonly args: JsonObject;
  /** The agent looks up first whether an earlier server has done it. */
  readonly looksFirst?: boolean;
}

/** When a server dies: at its nth moment, or around its nth request that changes something at X. */
export type Death =
  | { readonly kind: "never" }
  | { readonly kind: "moment"; readonly number: number }
  | { readonly kind: "request"; readonly number: number; readonly when: "before" | "under way" | "answered" };
