import type { OAuthError } from "./oauth-error.ts";

/** Says what is wrong with the token file without naming where it is or what is in it. */
export function fileProblem(what: string, cause?: unknown): OAuthError {
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return { kind: "token_file", message: `The file with the X tokens ${what}${code}.` };
}
