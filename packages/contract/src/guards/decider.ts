/**
 * Who decided, through what, as stored items name them: `person via terminal, user "ana"`. A surface is where a person can
 * decide, and has its own proof of who they are.
 */
export function personVia<Surface extends string>(surface: Surface, who: string): string {
  return `person via ${surface}, ${who}`;
}

/**
 * The name of the person in such words, the same at every surface, so that somebody who approves twice counts once;
 * undefined where they name nobody, as an answer through an MCP client does.
 */
export function personIn(by: string): string | undefined {
  const [, quoted, uid] =
    /^person via (?!(?:stdio|http),)[a-z]+, (?:(?:user )?("(?:[^"\\]|\\.)*")|(uid \d+))/.exec(by) ?? [];
  return nameIn(quoted ?? uid)
    ?.normalize("NFKC")
    .trim()
    .toLowerCase();
}

function nameIn(said: string | undefined): string | undefined {
  if (said?.startsWith('"') !== true) return said;
  try {
    // A text in quotes is a text.
    return JSON.parse(said) as string;
  } catch {
    return undefined;
  }
}
