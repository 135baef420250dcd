/**
 * The part of a schema that can be checked without the library that it is written for, as plain JSON: loading that
 * library and building the schema takes longer than everything else that a start needs of the configuration.
 */
export type Form =
  | { readonly is: "text"; readonly min: number }
  | { readonly is: "address" }
  | {
      readonly is: "number";
      readonly isWhole: boolean;
      readonly min: number | null;
      readonly max: number | null;
    }
  | { readonly is: "switch" }
  | { readonly is: "word"; readonly words: readonly string[] }
  | { readonly is: "list"; readonly of: Form; readonly min: number }
  | { readonly is: "table"; readonly keys: Readonly<Record<string, KeyForm>> }
  /** One of several tables, by the word in one of their keys. */
  | { readonly is: "choice"; readonly key: string; readonly tables: Readonly<Record<string, Form>> }
  /** Only the schema knows. */
  | { readonly is: "unknown" };

interface KeyForm {
  readonly form: Form;
  /** The value where the key is missing; without one it is required, unless it is optional. */
  readonly fallback?: unknown;
  readonly isOptional?: boolean;
}

/** A value with its defaults, exactly as the schema would return it; undefined where only the schema can say. */
export function fitted(form: Form, value: unknown): { readonly value: unknown } | undefined {
  switch (form.is) {
    case "text":
      return typeof value === "string" && value.length >= form.min ? { value } : undefined;
    case "address":
      return typeof value === "string" && ADDRESS.test(value) ? { value } : undefined;
    case "number":
      return isNumberOf(form, value) ? { value } : undefined;
    case "switch":
      return typeof value === "boolean" ? { value } : undefined;
    case "word":
      return typeof value === "string" && form.words.includes(value) ? { value } : undefined;
    case "list":
      return Array.isArray(value) && value.length >= form.min ? fittedList(form.of, value) : undefined;
    case "table":
      return isTable(value) ? fittedTable(form.keys, value) : undefined;
    case "choice": {
      const word = isTable(value) ? value[form.key] : undefined;
      const table =
        typeof word === "string" && Object.hasOwn(form.tables, word) ? form.tables[word] : undefined;
      return table && fitted(table, value);
    }
    case "unknown":
      return undefined;
  }
}

/** Addresses that are surely what they should be: https, or http on this machine, without anything special. */
const ADDRESS =
  /^(https:\/\/[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+|http:\/\/(127\.0\.0\.1|localhost))(:([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}))?(\/[a-z0-9_-]*)*$/;

function isNumberOf({ isWhole, min, max }: Form & { readonly is: "number" }, value: unknown): boolean {
  return (
    typeof value === "number" &&
    (isWhole ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
    (min === null || value >= min) &&
    (max === null || value <= max)
  );
}

function fittedList(form: Form, values: readonly unknown[]): { readonly value: unknown } | undefined {
  const fits = values.map((value) => fitted(form, value));
  return fits.includes(undefined) ? undefined : { value: fits.map((fit) => fit?.value) };
}

function fittedTable(
  keys: Readonly<Record<string, KeyForm>>,
  table: Readonly<Record<string, unknown>>,
): { readonly value: unknown } | undefined {
  if (Object.keys(table).some((key) => !Object.hasOwn(keys, key))) return undefined;
  const result: Record<string, unknown> = {};
  for (const [key, { form, fallback, isOptional }] of Object.entries(keys)) {
    const given = table[key];
    if (given === undefined) {
      if (fallback !== undefined) result[key] = fallback;
      else if (!isOptional) return undefined;
      continue;
    }
    const fit = fitted(form, given);
    if (fit === undefined) return undefined;
    result[key] = fit.value;
  }
  return { value: result };
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
