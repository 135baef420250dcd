import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/**
 * Bundles the MCP SDK without what a server on our library never reaches. The SDK builds a zod schema for every
 * type of the protocol when it is imported, and loads a JSON Schema validator; bundlers must keep both, because
 * they cannot know that building a schema changes nothing else. Leaving them out saves a sixth of the start and
 * 4 MB.
 *
 * It also asks four schemas what kind of message it has before it handles one, and a zod schema that says no
 * takes 15 µs to say so. Looking first for the member that only such a message has saves a quarter of the time
 * of a call.
 */
export const leanSdk: Plugin = {
  name: "lean-sdk",
  setup(bundling) {
    bundling.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({
      path: "shims",
      namespace: "lean-sdk",
    }));
    bundling.onLoad({ filter: /^shims$/, namespace: "lean-sdk" }, () => ({ contents: SHIMS, loader: "js" }));
    bundling.onLoad({ filter: /@modelcontextprotocol\/(core|server)\/dist\/.*\.mjs$/ }, async ({ path }) => ({
      contents: lean(path, await readFile(path, "utf8")),
      loader: "js",
    }));
  },
};

/** Only `elicitInput` validates JSON Schema; our library asks through `inputRequired`, which does not. */
const SHIMS = `
// The module node:process would make Node read every property of it, stderr and its stream included.
export const process = globalThis.process;
export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error("JSON Schema cannot be validated here: the validator is left out of the bundle.");
  }
}`;

interface Change {
  /** Begin of the names of the files that it is made to. */
  readonly file: string;
  /** How many places it must find: with another version of the SDK, read what has changed first. */
  readonly places: number;
  readonly find: RegExp;
  readonly replace: string;
}

const CHANGES: readonly Change[] = [
  ...["schemas-", "auth-"].map((file) => ({
    file,
    places: file === "schemas-" ? 166 : 14,
    find: /^const (\w+) = ((?:z|[A-Z]\w*Schema)\.[\s\S]*?);\n(?=const |\/\*|\n|function |\/\/)/gm,
    replace: "const $1 = /* @__PURE__ */ (() => $2)();\n",
  })),
  {
    file: "src-",
    places: 1,
    find: /^(for \(const key of SPEC_SCHEMA_KEYS\).*\nfor \(const \[key, schema\] of .*)$/gm,
    replace: "const registered = (types) => {\n$1\nreturn Object.freeze(types);\n};",
  },
  {
    file: "src-",
    places: 2,
    find: /= Object\.freeze\((_specTypeSchemas|_isSpecType)\)/g,
    replace: "= /* @__PURE__ */ registered($1)",
  },
  ...Object.entries({
    Notification: "value?.method !== void 0 && value.id === void 0",
    ResultResponse: "value?.result !== void 0",
    ErrorResponse: "value?.error !== void 0",
  }).map(([kind, condition]) => ({
    file: "src-",
    places: 1,
    find: new RegExp(`^const isJSONRPC${kind} = \\(value\\) => `, "gm"),
    replace: `$&${condition} && `,
  })),
  {
    file: "src-",
    places: 1,
    find: /^const isJSONRPCRequest = \(value\) => (.*);$/gm,
    replace: `let knownRequest = {};
const isJSONRPCRequest = (value) => {
  if (value === knownRequest) return true;
  if (value?.method === void 0 || value.id === void 0 || !$1) return false;
  knownRequest = value;
  return true;
};`,
  },
  {
    file: "src-",
    places: 2,
    find: /^function triState(\$1)?\(schema, raw\) \{$/gm,
    replace: `let known$1 = {};
function triState$1(schema, raw) {
  if (raw !== known$1.raw || schema !== known$1.schema) known$1 = { schema, raw, outcome: checked$1(schema, raw) };
  return known$1.outcome;
}
function checked$1(schema, raw) {`,
  },
];

function lean(path: string, source: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return CHANGES.filter(({ file }) => name.startsWith(file)).reduce((text, { places, find, replace }) => {
    const found = text.match(find)?.length ?? 0;
    if (found !== places) throw new Error(`${name} has ${found} instead of ${places} places like ${find}.`);
    return text.replace(find, replace);
  }, source);
}
