import type { Json, JsonObject, JsonSchema } from "../json.ts";

/** For each action: with all parameters, and with the required ones. */
export function sampleArguments(schema: JsonSchema): JsonObject[] {
  const properties = schemasIn(schema.properties);
  const branches = listOf(schema.oneOf ?? schema.anyOf) as readonly JsonSchema[];
  const forms = branches.length > 0 ? branches : [schema];
  const samples = forms.flatMap((form) => {
    const all = Object.entries({ ...properties, ...schemasIn(form.properties) }).map(
      ([name, member]): [string, Json] => [name, sampleOf(member)],
    );
    const required = listOf(form.required ?? schema.required);
    const actions = listOf(properties.action?.enum);
    return [all, all.filter(([name]) => required.includes(name))].flatMap((members) => {
      const sample = Object.fromEntries(members);
      return "action" in sample && actions.length > 0 && branches.length === 0
        ? actions.map((action) => ({ ...sample, action }))
        : [sample];
    });
  });
  return [...new Map(samples.map((sample) => [JSON.stringify(sample), sample])).values()];
}

function sampleOf(schema: JsonSchema): Json {
  const { anyOf, oneOf } = schema;
  const form = (listOf(anyOf)[0] ?? listOf(oneOf)[0] ?? schema) as JsonSchema;
  const given = form.const ?? listOf(form.enum)[0] ?? listOf(form.examples)[0] ?? form.default;
  if (given !== undefined) return given;
  switch (Array.isArray(form.type) ? form.type[0] : form.type) {
    case "integer":
    case "number":
      return Number(form.minimum ?? 1);
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return [sampleOf((form.items ?? {}) as JsonSchema)];
    case "object":
      return Object.fromEntries(
        Object.entries(schemasIn(form.properties)).map(([name, member]) => [name, sampleOf(member)]),
      );
    default:
      return textFor(form);
  }
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  "date-time": "2026-01-02T03:04:05Z",
  date: "2026-01-02",
  time: "03:04:05Z",
  uri: "https://example.com/a",
  email: "somebody@example.com",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function textFor({ format, pattern, minLength }: JsonSchema): string {
  const known = typeof format === "string" ? BY_FORMAT[format] : undefined;
  if (known !== undefined) return known;
  // Enough for ids; other patterns need explicit samples.
  const text = typeof pattern === "string" && /\\d|0-9/.test(pattern) ? "123" : "text";
  return text.padEnd(Number(minLength ?? 0), text.at(-1));
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function schemasIn(value: Json | undefined): Readonly<Record<string, JsonSchema>> {
  return (value ?? {}) as Readonly<Record<string, JsonSchema>>;
}
