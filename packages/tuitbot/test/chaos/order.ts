import type { JsonObject } from "@toolpact/contract";

/** What is done to a server from the outside. */
export interface Doom {
  readonly death: Death;
  /** How far its clock is ahead of the machine's. */
  readonly clockAheadMs: number;
  /** How wrong its clock is besides: it and X's are apart by this. */
  readonly clockSkewMs?: number;
  /** Its clock is set while its nth request to X is under way. */
  readonly clockJump?: { readonly request: number; readonly byMs: number };
}

/** What an agent asks of a server, and what becomes of that server. */
export interface DoomedCall extends Doom {
  readonly tool: string;
  readonly args: JsonObject;
}

/** When a server dies: at its nth moment, or around its nth request that changes something at X. */
export type Death =
  | { readonly kind: "never" }
  | { readonly kind: "moment"; readonly number: number }
  | { readonly kind: "request"; readonly number: number; readonly when: "before" | "under way" | "answered" };
