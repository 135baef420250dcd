import { isRecord } from "./json.ts";

/** What is worth knowing of a problem body. Words are lower-cased, for comparing only. */
export interface Problem {
  readonly segment?: string;
  readonly title: string;
  readonly detail: string;
  readonly reason?: string;
  readonly code?: number;
  readonly parameters: readonly string[];
}

/**
 * Read a problem out of whatever X sent: an object, a list of errors, a string, a page of HTML. Of the parameters
 * that X names only those in `known` pass.
 */
export function problemOf(body: unknown, known: ReadonlySet<string>): Problem {
  const outer = record(body);
  const inner = Array.isArray(outer.errors) ? record(outer.errors[0]) : {};
  const type = text(outer.type) ?? text(inner.type);
  const segment = type?.split("/").at(-1);
  const code = outer.code ?? inner.code;
  const reason = text(outer.reason);
  return {
    ...(segment !== undefined && isSegment.test(segment) && { segment }),
    title: (text(outer.title) ?? "").toLowerCase(),
    detail: (text(outer.detail) ?? text(outer.message) ?? text(inner.message) ?? "").toLowerCase(),
    ...(reason !== undefined && { reason }),
    ...(typeof code === "number" && { code }),
    parameters: parametersOf(outer).filter((name) => known.has(name)),
  };
}

/** A plain name; leaves out `about:blank`. */
const isSegment = /^[\w-]{1,64}$/;

/** X lists refused parameters as `errors[].parameters: {name: [values]}`. */
function parametersOf(body: Readonly<Record<string, unknown>>): string[] {
  const errors = Array.isArray(body.errors) ? body.errors : [];
  const names = errors.flatMap((error) => Object.keys(record(record(error).parameters)));
  return [...new Set(names)];
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
