/** On a copy of the account. Types only, because the dashboard shares them. */
export interface Rehearsal {
  readonly account: { readonly id: string; readonly username: string | null };
  readonly from: string;
  readonly to: string;
  /** The table counts this zone's days. */
  readonly timezone: string;
  readonly mode: "autopilot" | "composer";
  readonly approval_mode: boolean;
  readonly days: readonly RehearsedDay[];
  readonly totals: RehearsedCounts;
  /** Earliest first. */
  readonly entries: readonly RehearsedEntry[];
  readonly loops: readonly RehearsedLoop[];
  /** With costs. */
  readonly operations: readonly {
    readonly operation: string;
    readonly requests: number;
    readonly cost_usd: number;
  }[];
  readonly caps: {
    readonly day_usd: number | null;
    readonly month_usd: number | null;
    /** With earlier spending for the month. */
    readonly dearest_day_usd: number;
    readonly month_end_usd: number;
  };
  /** With reasons. */
  readonly left_out: readonly { readonly loop: string; readonly reason: string }[];
  readonly assumptions: readonly string[];
  /** Null if complete. */
  readonly ended_early: string | null;
}

export interface RehearsedCounts {
  readonly goes_out: number;
  readonly waits: number;
  readonly refused: number;
  readonly cost_usd: number;
}

interface RehearsedDay extends RehearsedCounts {
  readonly date: string;
  readonly reads_usd: number;
}

export interface RehearsedEntry {
  readonly at: string;
  readonly date: string;
  readonly loop: string;
  readonly tool: string;
  readonly outcome: "goes_out" | "waits" | "refused";
  /** One per post. */
  readonly texts: readonly string[];
  readonly answers: { readonly author: string; readonly text: string } | null;
  readonly reason: string | null;
  readonly rule_id: string | null;
  readonly cost_usd: number;
}

export interface RehearsedLoop {
  readonly name: string;
  readonly runs: number;
  /** Such as `found`. */
  readonly counts: Readonly<Record<string, number>>;
  readonly cost_usd: number;
  /** Except not being due. */
  readonly held_back: readonly { readonly reason: string; readonly times: number }[];
}
