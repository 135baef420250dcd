/** As the Ads API returns it. */
export interface AdsRecord {
  readonly id: string;
  readonly account_id: string;
  deleted: boolean;
  readonly created_at: string;
  updated_at: string;
  readonly [field: string]: unknown;
}

export type AdsKind =
  | "funding_instruments"
  | "campaigns"
  | "line_items"
  | "promoted_tweets"
  | "targeting_criteria";

export class AdsStore {
  readonly records: Readonly<Record<AdsKind, Map<string, AdsRecord>>> = {
    funding_instruments: new Map(),
    campaigns: new Map(),
    line_items: new Map(),
    promoted_tweets: new Map(),
    targeting_criteria: new Map(),
  };
  #lastId = 466_560;

  /** Short, in base 36. */
  newId(): string {
    this.#lastId += 1;
    return this.#lastId.toString(36);
  }
}

export function adsAccountId(userId: string): string {
  return BigInt(userId).toString(36);
}
