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

export function riskSignals(author: AuthorRecord, maxPerDay: number): RiskSignal[] {
  const { replies, repliesToday, measured } = author;
  const signals: RiskSignal[] = [];
  if (repliesToday >= maxPerDay)
    signals.push({
      signal: "high_frequency_today",
      severity: "high",
      detail: `${repliesToday} replies today; ${maxPerDay} are allowed.`,
    });
  if (measured >= MIN_POSTS && responseRate(author) < LOW_RATE)
    signals.push({
      signal: "low_response_rate",
      severity: "medium",
      detail: `Of ${measured} measured replies ${author.engaged} got a like or an answer.`,
    });
  if (replies === 0)
    signals.push({
      signal: "no_prior_interaction",
      severity: "low",
      detail: "No earlier reply to this author.",
    });
  else if (measured === 0)
    signals.push({
      signal: "no_measured_performance",
      severity: "low",
      detail: "None of the replies has been measured yet.",
    });
  return signals;
}

/** The share of measured replies with a like or an answer. */
export function responseRate({ measured, engaged }: Pick<AuthorRecord, "measured" | "engaged">): number {
  return measured === 0 ? 0 : engaged / measured;
}

const MIN_POSTS = 3;
const LOW_RATE = 0.1;
