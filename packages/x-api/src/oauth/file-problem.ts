import { errorCode } from "../error-code.ts";
import type { OAuthError } from "./oauth-error.ts";

/** Says what is wrong with the token file without naming where it is or what is in it. */
export function fileProblem(what: string, cause?: unknown): OAuthError {
  const code = errorCode(cause);
  const why = code === undefined ? "" : ` (${code})`;
  return { kind: "token_file", message: `The file with the X tokens ${what}${why}.` };
}
