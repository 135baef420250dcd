/** A text without the names at its front that it answers to; X does not count those. */
export function withoutGreeting(text: string, addressed: readonly string[]): string {
  let rest = text;
  for (;;) {
    const [greeting, name = ""] = /^@(\w{1,15})\s+/.exec(rest) ?? [];
    if (
      greeting === undefined ||
      !addressed.some((username) => username.toLowerCase() === name.toLowerCase())
    )
      return rest;
    rest = rest.slice(greeting.length);
  }
}
