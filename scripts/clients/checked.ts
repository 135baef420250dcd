/** The outcome of a check: passed, with a short remark, or the reason why not. */
export interface Checked {
  readonly passed: boolean;
  readonly remark: string;
}

/** True if a result that reached the model matches. */
export function mentions(result: string | undefined, pattern: RegExp): Checked {
  if (result === undefined) return { passed: false, remark: "no result reached the model" };
  return pattern.test(result) ? { passed: true, remark: "yes" } : { passed: false, remark: brief(result) };
}

/** True if the fixture's picture is in the last request. */
export function seesPicture(lastRequest: string, drawn: string | undefined): Checked {
  return /iVBORw0KGgo/.test(lastRequest)
    ? { passed: true, remark: "seen" }
    : { passed: false, remark: brief(drawn) };
}

export function brief(text = "no result reached the model"): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
