import type { Failure, Json, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";

/** Values for `${…}`: `vars.name` and `steps.id.result.path`. */
export interface Scope {
  readonly vars: JsonObject;
  /** Whole answers by the id of their step. */
  readonly steps: Readonly<Record<string, JsonObject>>;
}

const REFERENCE = /\$\{([^{}]+)\}/g;

/** Fills in every reference in a value. A string that is one reference becomes the value it refers to. */
export function filledIn(value: Json, scope: Scope): Result<Json, "E_SCHEMA_VALIDATION"> {
  if (typeof value === "string") return filledText(value, scope);
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value as readonly Json[]) {
      const filled = filledIn(item, scope);
      if (!filled.ok) return filled;
      items.push(filled.value);
    }
    return ok(items);
  }
  if (typeof value !== "object" || value === null) return ok(value);
  const members: Record<string, Json> = {};
  for (const [key, member] of Object.entries(value as JsonObject)) {
    const filled = filledIn(member ?? null, scope);
    if (!filled.ok) return filled;
    members[key] = filled.value;
  }
  return ok(members);
}

/** The references in a value, as written. */
export function referencesIn(value: Json | undefined): string[] {
  if (typeof value === "string") return Array.from(value.matchAll(REFERENCE), (match) => match[1] ?? "");
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((member) => referencesIn(member as Json));
}

/** The value at `result.changes.0.node`. */
export function valueAt(value: Json | undefined, path: string): Json | undefined {
  let at: Json | undefined = value;
  for (const part of path.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Readonly<Record<string, Json | undefined>>)[part];
  }
  return at;
}

function filledText(text: string, scope: Scope): Result<Json, "E_SCHEMA_VALIDATION"> {
  const whole = /^\$\{([^{}]+)\}$/.exec(text)?.[1];
  if (whole !== undefined) return referred(whole, scope);
  const problems: { ok: false; failure: Failure<"E_SCHEMA_VALIDATION"> }[] = [];
  const filled = text.replace(REFERENCE, (_, reference: string) => {
    const value = referred(reference, scope);
    if (!value.ok) problems.push(value);
    else return typeof value.value === "string" ? value.value : JSON.stringify(value.value);
    return "";
  });
  return problems[0] ?? ok(filled);
}

function referred(reference: string, scope: Scope): Result<Json, "E_SCHEMA_VALIDATION"> {
  // Both members of the scope are JSON.
  const value = valueAt(scope as unknown as JsonObject, reference.trim());
  if (value !== undefined) return ok(value);
  return errors.fail("E_SCHEMA_VALIDATION", `\${${reference.slice(0, 120)}} refers to nothing.`, {
    suggestedFix: "Refer to vars.name or to steps.id.result.…; what a step answered is in the report.",
  });
}
