import type { Generated } from "kysely";

/** Drafts, and what writing them has used. Keyed and counted as `Database` says. */
export interface ContentTables {
  drafts: DraftRow;
  draft_revisions: DraftRevisionRow;
  llm_usage: LlmUsageRow;
}

/** `publishing` while a call is under way, `queued` while what it would publish waits for a person. */
export type DraftStatus = "draft" | "scheduled" | "publishing" | "queued" | "published" | "discarded";

/** A post or thread that waits to be edited, scheduled, published or discarded. */
export interface DraftRow {
  readonly id: Generated<number>;
  readonly account: string;
  /** The texts in order: one for a post, more for a thread. */
  texts_json: string;
  /** The files that its posts show; null for none. */
  media_json: string | null;
  readonly topic: string | null;
  /** The format or structure it was put as. */
  readonly framework: string | null;
  /** `provider/model` */
  readonly writer: string | null;
  status: DraftStatus;
  /** Of the newest revision. A change names the one that it changes. */
  revision: number;
  scheduled_for: number | null;
  /** Its last row in the schedule. */
  schedule_id: number | null;
  /** The item that waits, or waited, for a person. */
  approval_id: number | null;
  /** Until when whoever publishes it may be at work. */
  lease_until: number;
  /** Handle of a thread that is partly out. */
  resume: string | null;
  /** What publishing it answered. */
  result_json: string | null;
  /** The first draft of the recurring posts that it is one of. */
  series_id: number | null;
  /** Which of them it is, and when they recur. */
  readonly series_json: string | null;
  readonly created_at: number;
  updated_at: number;
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
