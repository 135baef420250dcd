/** What to do about a post of this score. */
export type Verdict = "strong_reply" | "consider" | "skip";

export function verdictOf(score: number, threshold: number): Verdict {
  if (score >= threshold + CLEARLY) return "strong_reply";
  return score >= threshold ? "consider" : "skip";
}

/** Points above the threshold from which there is no doubt. */
const CLEARLY = 15;
