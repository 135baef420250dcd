import { words } from "../text/words.ts";

/** An error in the format of all surfaces: what happened and why, then the fix. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly fix?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** Reads the error of an envelope or of a command. */
export function problemOf(error: unknown, fallback: Problem): Problem {
  if (typeof error === "string") return { ...fallback, message: error };
  if (typeof error !== "object" || error === null) return fallback;
  const { code, message, suggested_fix, fix, failure, ...more } = error as Readonly<Record<string, unknown>>;
  // A command that was refused says in `failure` why.
  const { reason, details } = { ...more, ...Object(failure) } as Readonly<Record<string, unknown>>;
  const asText = (value: unknown) => (typeof value === "string" ? value : undefined);
  return inWords({
    code: asText(code) ?? fallback.code,
    message: asText(message) ?? fallback.message,
    fix: asText(suggested_fix) ?? asText(fix) ?? fallback.fix,
    reason: asText(reason),
    details: typeof details === "object" && details !== null ? { ...details } : undefined,
  });
}

/** The refusal in the language of the page; undefined if it has no text for this reason. */
export function refusalText(
  reason: string | undefined,
  details: Problem["details"] = {},
): string | undefined {
  return words.refusals[reason ?? ""]?.(details);
}

/** In the language of the page. If that has only a general sentence for the code, the words of the server follow. */
function inWords(problem: Problem): Problem {
  const { code, message, fix, reason, details } = problem;
  const refused = refusalText(reason, details);
  if (refused !== undefined) return { ...problem, message: refused, fix: undefined };
  const failure = words.failures[code];
  if (failure === undefined) return problem;
  return { ...problem, message: failure, fix: fix === undefined ? message : `${message} ${fix}` };
}
