/** What the loops would do in the days to come, by a rehearsal on a copy. Types alone: the page shows them too. */
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
    /** The most that one day of the rehearsal, by UTC, and what its last month come to, with what was spent before. */
    readonly dearest_day_usd: number;
    readonly month_end_usd: number;
  };
  /** What was left out, and why. */
  readonly left_out: readonly { readonly loop: string; readonly reason: string }[];
  /** What the rehearsal takes for granted. */
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
  /** What it says, one for each post. */
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
  /** What these came to, such as `found`. */
  readonly counts: Readonly<Record<string, number>>;
  readonly cost_usd: number;
  /** Why it did nothing or failed, beside not being due. */
  readonly held_back: readonly { readonly reason: string; readonly times: number }[];
}
