import type { JsonObject } from "@toolpact/contract";
import type { StorePlace } from "../../src/storage/open-store.ts";
import type { Envelope } from "../live-server.ts";

/** What a doomed server is to do. */
export interface DoomedOrder {
  readonly place: StorePlace;
  readonly baseUrl: string;
  readonly token: string;
  readonly account: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** How far its clock is ahead of the machine's. */
  readonly clockAheadMs: number;
  readonly timeoutMs: number;
  readonly death: Death;
}

/** When a server dies: at its nth moment, or around its nth request that changes something at X. */
export type Death =
  | { readonly kind: "never" }
  | { readonly kind: "moment"; readonly number: number }
  | { readonly kind: "request"; readonly number: number; readonly when: "before" | "under way" | "answered" };

export interface DoomedReport {
  readonly envelope: Envelope;
  /** How many moments it lived through. */
  readonly moments: number;
}
