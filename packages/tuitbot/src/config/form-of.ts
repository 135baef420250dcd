import type * as z from "zod";
import { type Form, fitted } from "./form.ts";
import { ADDRESS_MARK } from "./schema.ts";

/** What of a schema needs no schema library. Whatever has a check that is not known here is left to it. */
export function formOf(schema: z.core.$ZodType): Form {
  // Every class of zod's has its definition here; the union lets the switch tell them apart.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const checks = checksOf(def.checks);
  switch (def.type) {
    case "string":
      if (isAddress(schema) && def.checks?.length === ADDRESS_CHECKS) return { is: "address" };
      return checks.isKnown ? { is: "text", min: checks.min ?? 0 } : UNKNOWN;
    case "number":
      return checks.isKnown
        ? {
            is: "number",
            isWhole: checks.isWhole || "format" in def,
            min: checks.min ?? null,
            max: checks.max ?? null,
          }
        : UNKNOWN;
    case "boolean":
      return { is: "switch" };
    case "literal":
    case "enum": {
      const words = def.type === "enum" ? Object.values(def.entries) : def.values;
      return words.every((word) => typeof word === "string") ? { is: "word", words } : UNKNOWN;
    }
    case "array":
      return checks.isKnown && checks.max === undefined
        ? { is: "list", of: formOf(def.element), min: checks.min ?? 0 }
        : UNKNOWN;
    case "object":
      return checks.isKnown ? tableOf(def) : UNKNOWN;
    case "union":
      return "discriminator" in def ? choiceOf(String(def.discriminator), def.options) : UNKNOWN;
    default:
      return UNKNOWN;
  }
}

/** A key with one more is left to the schema. */
const ADDRESS_CHECKS = 2;

const UNKNOWN: Form = { is: "unknown" };

function isAddress(schema: z.core.$ZodType): boolean {
  return (schema as z.ZodType).meta()?.[ADDRESS_MARK] === true;
}

function tableOf({ shape, catchall }: z.core.$ZodObjectDef): Form {
  // Only a strict table refuses keys that it does not know.
  if (catchall?._zod.def.type !== "never") return UNKNOWN;
  return {
    is: "table",
    keys: Object.fromEntries(Object.entries(shape).map(([key, inner]) => [key, keyFormOf(inner)])),
  };
}

function keyFormOf(schema: z.core.$ZodType) {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "optional":
      return { form: formOf(def.innerType), isOptional: true };
    case "default":
      return { form: formOf(def.innerType), fallback: def.defaultValue };
    case "prefault": {
      const form = formOf(def.innerType);
      const fallback = fitted(form, def.defaultValue)?.value;
      return fallback === undefined ? { form: UNKNOWN } : { form, fallback };
    }
    default:
      return { form: formOf(schema) };
  }
}

function choiceOf(key: string, options: readonly z.core.$ZodType[]): Form {
  const tables: Record<string, Form> = {};
  for (const option of options) {
    const form = formOf(option);
    const word = form.is === "table" ? form.keys[key]?.form : undefined;
    if (word?.is !== "word") return UNKNOWN;
    for (const one of word.words) tables[one] = form;
  }
  return { is: "choice", key, tables };
}

interface KnownChecks {
  readonly isKnown: boolean;
  readonly isWhole: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

function checksOf(checks: readonly z.core.$ZodCheck<never>[] = []): KnownChecks {
  let known: KnownChecks = { isKnown: true, isWhole: false, min: undefined, max: undefined };
  for (const check of checks) {
    const { def } = (check as unknown as z.core.$ZodChecks)._zod;
    if (def.check === "min_length") known = { ...known, min: def.minimum };
    else if (def.check === "greater_than" && def.inclusive) known = { ...known, min: Number(def.value) };
    else if (def.check === "less_than" && def.inclusive) known = { ...known, max: Number(def.value) };
    else if (def.check === "number_format" && def.format === "safeint") known = { ...known, isWhole: true };
    else known = { ...known, isKnown: false };
  }
  return known;
}
