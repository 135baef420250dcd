/** Where a person can decide about a waiting call. Each has its own proof of who they are: decisions 19 and 40. */
export type Surface = "terminal" | "web" | "telegram" | "slack";

/** Who decided, through what, as the queue and the audit name them: `person via telegram, "Ana"`. */
export function personVia(surface: Surface, who: string): string {
  return `person via ${surface}, ${who}`;
}
