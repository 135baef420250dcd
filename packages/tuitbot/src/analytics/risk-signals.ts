/** What is known of earlier talk with somebody. */
export interface AuthorRecord {
  readonly replies: number;
  readonly repliesToday: number;
  readonly measured: number;
  readonly engaged: number;
}

export interface RiskSignal {
  signal: "high_frequency_today" | "low_response_rate" | "no_measured_performance" | "no_prior_interaction";
  severity: "high" | "medium" | "low";
  detail: string;
}

/** Reasons to think twice before replying to somebody. */
export function riskSignals(author: AuthorRecord, mostPerDay: number): RiskSignal[] {
  const { replies, repliesToday, measured } = author;
  const signals: RiskSignal[] = [];
  if (repliesToday >= mostPerDay)
    signals.push({
      signal: "high_frequency_today",
      severity: "high",
      detail: `${repliesToday} replies today; ${mostPerDay} are allowed.`,
    });
  if (measured >= ENOUGH && responseRate(author) < LOW_RATE)
    signals.push({
      signal: "low_response_rate",
      severity: "medium",
      detail: `Of ${measured} measured replies ${author.engaged} got a like or an answer.`,
    });
  if (replies === 0)
    signals.push({
      signal: "no_prior_interaction",
      severity: "low",
      detail: "There has been no reply to this author.",
    });
  else if (measured === 0)
    signals.push({
      signal: "no_measured_performance",
      severity: "low",
      detail: "None of the replies has been measured yet.",
    });
  return signals;
}

/** Share of the measured replies that got a like or an answer. */
export function responseRate({ measured, engaged }: Pick<AuthorRecord, "measured" | "engaged">): number {
  return measured === 0 ? 0 : engaged / measured;
}

const ENOUGH = 3;
const LOW_RATE = 0.1;
