import type { Generated } from "kysely";

/** Drafts, and what writing them has used. Keyed and counted as `Database` says. */
export interface ContentTables {
  drafts: DraftRow;
  draft_revisions: DraftRevisionRow;
  llm_usage: LlmUsageRow;
}

export type DraftKind = "tweet" | "thread" | "reply";

/** `publishing` while a call is under way, and after one whose outcome nobody knows yet. */
export type DraftStatus = "draft" | "scheduled" | "publishing" | "queued" | "published" | "discarded";

/** A text that waits to be edited, scheduled, published or discarded. */
export interface DraftRow {
  readonly id: Generated<number>;
  readonly account: string;
  readonly kind: DraftKind;
  texts_json: string;
  readonly topic: string | null;
  /** The archetype, format or structure it was put as. */
  readonly framework: string | null;
  /** The post that a reply answers. */
  readonly reply_to: string | null;
  /** `provider/model`; null for a person. */
  readonly writer: string | null;
  status: DraftStatus;
  /** Of the newest revision. A change names the one it saw. */
  revision: number;
  scheduled_for: number | null;
  readonly created_at: number;
  updated_at: number;
  /** What publishing it answered. */
  result_json: string | null;
}

/** A draft as one change left it. */
export interface DraftRevisionRow {
  readonly draft_id: number;
  readonly revision: number;
  readonly account: string;
  readonly at: number;
  readonly editor: string;
  readonly change: string;
  readonly texts_json: string;
  readonly scheduled_for: number | null;
  readonly status: DraftStatus;
  readonly note: string | null;
}

/** One answer of a language model. */
export interface LlmUsageRow {
  readonly id: Generated<number>;
  readonly account: string;
  readonly at: number;
  readonly purpose: string;
  readonly framework: string;
  readonly topic: string | null;
  readonly provider: string;
  readonly model: string;
  /** Null where the provider did not say. */
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** Null where the price is not known. */
  readonly cost_micros: number | null;
  readonly failed: number;
}
