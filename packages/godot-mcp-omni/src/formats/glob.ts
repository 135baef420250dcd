/** One step of a pattern. `fork` may skip the two steps after it. */
type Step =
  | { readonly kind: "any" | "anyRun" | "nameRun" | "fork" }
  | { readonly kind: "text"; readonly character: string };

/** Longer patterns are rejected; paths are shorter. */
export const MAX_PATTERN = 1_000;

/**
 * Compiles a pattern with `*` and `?`. In a path pattern, one star stays within a folder and two span any number of
 * folders. Follows all possible matches at once: a regular expression would try them one after another, which takes
 * exponential time for some patterns.
 */
export function compileGlob(
  pattern: string,
  { isPath }: { readonly isPath: boolean },
): (text: string) => boolean {
  const steps = stepsOf(pattern, isPath);
  return (text) => {
    let open = new Set<number>();
    enter(steps, open, 0);
    for (const character of text) {
      const next = new Set<number>();
      for (const at of open) advance(steps, next, at, character);
      if (next.size === 0) return false;
      open = next;
    }
    return open.has(steps.length);
  };
}

function stepsOf(pattern: string, isPath: boolean): Step[] {
  return (pattern.match(/\*+\/?|[^*]/gsu) ?? []).flatMap((part): Step[] => {
    if (part === "?") return [{ kind: "any" }];
    if (!part.startsWith("*")) return [{ kind: "text", character: part }];
    const slash: Step[] = part.endsWith("/") ? [{ kind: "text", character: "/" }] : [];
    if (!isPath || !part.startsWith("**")) return [{ kind: isPath ? "nameRun" : "anyRun" }, ...slash];
    return slash.length > 0 ? [{ kind: "fork" }, { kind: "anyRun" }, ...slash] : [{ kind: "anyRun" }];
  });
}

/** Adds a position in the pattern, and those reachable from it without a character. */
function enter(steps: readonly Step[], open: Set<number>, at: number): void {
  if (open.has(at)) return;
  open.add(at);
  const kind = steps[at]?.kind;
  if (kind === "anyRun" || kind === "nameRun" || kind === "fork") enter(steps, open, at + 1);
  if (kind === "fork") enter(steps, open, at + 3);
}

function advance(steps: readonly Step[], open: Set<number>, at: number, character: string): void {
  const step = steps[at];
  if (step?.kind === "anyRun" || (step?.kind === "nameRun" && character !== "/")) enter(steps, open, at);
  if (step?.kind === "any" || (step?.kind === "text" && step.character === character))
    enter(steps, open, at + 1);
}
