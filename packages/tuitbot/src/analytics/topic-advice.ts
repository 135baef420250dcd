export type TopicAdvice = "experiment" | "double_down" | "reduce" | "maintain";

/** What to do about a topic, from how it did against the average of all. */
export function adviceFor(posts: number, againstAverage: number): TopicAdvice {
  if (posts < ENOUGH) return "experiment";
  if (againstAverage > 1.5) return "double_down";
  return againstAverage < 0.5 ? "reduce" : "maintain";
}

const ENOUGH = 3;
