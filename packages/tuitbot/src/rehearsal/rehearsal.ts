/** The predicted actions of the loops, from a rehearsal on a copy. Types only, because the dashboard shares them. */
export interface Rehearsal {
  readonly account: { readonly id: string; readonly username: string | null };
  readonly from: string;
  readonly to: string;
  /** The time zone of the schedule, by whose days the table counts. */
  readonly timezone: string;
  readonly mode: "autopilot" | "composer";
  readonly approval_mode: boolean;
  readonly days: readonly RehearsedDay[];
  readonly totals: RehearsedCounts;
  /** Everything that was sent, queued or refused, the earliest first. */
  readonly entries: readonly RehearsedEntry[];
  readonly loops: readonly RehearsedLoop[];
  /** Reads and writes at X by what they cost. */
  readonly operations: readonly {
    readonly operation: string;
    readonly requests: number;
    readonly cost_usd: number;
  }[];
  readonly caps: {
    readonly day_usd: number | null;
    readonly month_usd: number | null;
    /** The most expensive UTC day of the rehearsal, and its last month's total, including earlier spending. */
    readonly dearest_day_usd: number;
    readonly month_end_usd: number;
  };
  /** The loops left out, with reasons. */
  readonly left_out: readonly { readonly loop: string; readonly reason: string }[];
  /** The assumptions of the rehearsal. */
  readonly assumptions: readonly string[];
  /** Why it ended before its time; null where it did not. */
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
  /** The cost of reading alone. */
  readonly reads_usd: number;
}

export interface RehearsedEntry {
  readonly at: string;
  readonly date: string;
  readonly loop: string;
  readonly tool: string;
  readonly outcome: "goes_out" | "waits" | "refused";
  /** The texts, one per post. */
  readonly texts: readonly string[];
  /** The post that it answers. */
  readonly answers: { readonly author: string; readonly text: string } | null;
  readonly reason: string | null;
  readonly rule_id: string | null;
  readonly cost_usd: number;
}

export interface RehearsedLoop {
  readonly name: string;
  /** Times that it did its work. */
  readonly runs: number;
  /** Totals, such as `found`. */
  readonly counts: Readonly<Record<string, number>>;
  readonly cost_usd: number;
  /** Reasons for which it did nothing or failed, other than not being due. */
  readonly held_back: readonly { readonly reason: string; readonly times: number }[];
}
