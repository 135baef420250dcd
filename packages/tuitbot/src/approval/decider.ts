/** Where a person can decide about a waiting call. Each has its own proof of who they are: decisions 19 and 40. */
export type Surface = "terminal" | "web" | "telegram" | "slack";

/** Who decided, through what, as the queue and the audit name them: `person via telegram, "Ana"`. */
export function personVia(surface: Surface, who: string): string {
  return `person via ${surface}, ${who}`;
}

/**
 * The name of the person in such words, the same at every surface, so that somebody who approves twice counts once;
 * undefined where they name nobody, as an answer through an MCP client does.
 */
export function personIn(by: string): string | undefined {
  const [, quoted, uid] =
    /^person via (?:terminal|web|telegram|slack), (?:(?:user )?("(?:[^"\\]|\\.)*")|(uid \d+))/.exec(by) ?? [];
  // Written with JSON.stringify.
  const name = quoted === undefined ? uid : (JSON.parse(quoted) as string);
  return name?.normalize("NFKC").trim().toLowerCase();
}
