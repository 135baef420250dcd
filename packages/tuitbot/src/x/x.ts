import type { Outcome } from "@toolpact/contract";
import type { Access, ProviderError, RawSender, XClient } from "@toolpact/x-api";

/** X as the signed-in account. */
export interface X {
  /** Repeats reads after network and server errors; sends writes once. */
  readonly client: XClient;
  /** Sends a raw request once, with the client's tokens and base URL. */
  readonly send: RawSender;
  /** The same for the Ads API, signed with the operator's keys; undefined where there are none. */
  readonly sendToAds?: RawSender | undefined;
  /** X's time. */
  readonly now: () => number;
  /** The signed-in account; X is asked once. */
  readonly me: (signal?: AbortSignal) => Promise<Outcome<Me, ProviderError>>;
  /** Signs the handles that callers bring back. */
  readonly handleKey: () => Promise<Uint8Array>;
  /** The operator's access at X, from the configuration. */
  readonly access: Access;
  /** The granted scopes; undefined if not known. */
  readonly scopes: () => readonly string[] | undefined;
}

export interface Me {
  readonly id: string;
  readonly username: string;
  readonly name: string;
}
