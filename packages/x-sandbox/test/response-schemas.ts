import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";

const specFile = new URL("../../x-api/data/x-openapi.gen.json", import.meta.url);

export interface ResponseSchemas {
  readonly complaintsAbout: (operationId: string, status: number, body: unknown) => readonly string[];
}

/** Objects are closed here: an unknown field is a mistake of the sandbox. */
export function responseSchemas(): ResponseSchemas {
  const spec: unknown = JSON.parse(readFileSync(specFile, "utf8"));
  const ajv = new Ajv({ strict: false, allErrors: true });
  // A CommonJS package: its function is the module's `default`.
  addFormats.default(ajv);
  ajv.addSchema({ $id: "x", components: plainSchema(at(spec, "components")) });
  const validators = new Map<string, ValidateFunction>();
  const paths = at(spec, "paths");
  for (const operations of Object.values(objectOf(paths))) {
    for (const operation of Object.values(objectOf(operations))) {
      const id = at(operation, "operationId");
      for (const [status, response] of Object.entries(objectOf(at(operation, "responses")))) {
        const schema = at(response, "content", "application/json", "schema");
        if (schema !== undefined)
          validators.set(`${id} ${status}`, ajv.compile(objectOf(plainSchema(schema))));
      }
    }
  }
  return {
    complaintsAbout: (operationId, status, body) => {
      const validate = validators.get(`${operationId} ${status}`);
      if (validate === undefined) return [`The specification has no answer ${status} for ${operationId}.`];
      if (validate(body)) return [];
      return (validate.errors ?? []).map(
        ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
      );
    },
  };
}

/** `nullable` becomes a type, and references point into one document. */
function plainSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(plainSchema);
  if (typeof node !== "object" || node === null) return node;
  const plain: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === "nullable") continue;
    plain[key] = key === "$ref" ? String(value).replace("#/", "x#/") : plainSchema(value);
  }
  if (plain.type === "object" && plain.properties !== undefined) plain.additionalProperties ??= false;
  if (!("nullable" in node) || node.nullable !== true) return plain;
  if (Array.isArray(plain.enum)) plain.enum = [...plain.enum, null];
  return typeof plain.type === "string"
    ? { ...plain, type: [plain.type, "null"] }
    : { anyOf: [plain, { type: "null" }] };
}

function at(node: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => objectOf(inner)[key], node);
}

function objectOf(node: unknown): Record<string, unknown> {
  return typeof node === "object" && node !== null ? Object.fromEntries(Object.entries(node)) : {};
}
