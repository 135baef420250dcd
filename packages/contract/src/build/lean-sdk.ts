import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/** Removes parts of the MCP SDK that our servers do not reach. Executed code is unchanged. */
export const leanSdk: Plugin = leanSdkPlugin((name, found, { find, places }, index) => {
  throw new Error(`${name} has ${found} matches of ${find}, expected ${places[index]}.`);
});

/** The same for other versions of the SDK: code that does not match is left unchanged. */
export const leanSdkIfKnown: Plugin = leanSdkPlugin(() => {});

type OnMismatch = (name: string, found: number, change: Change, index: number) => void;

function leanSdkPlugin(onMismatch: OnMismatch): Plugin {
  return {
    name: "lean-sdk",
    setup(bundling) {
      bundling.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({
        path: "shims",
        namespace: "lean-sdk",
      }));
      bundling.onLoad({ filter: /^shims$/, namespace: "lean-sdk" }, () => ({
        contents: SHIMS,
        loader: "js",
      }));
      bundling.onLoad(
        { filter: /@modelcontextprotocol\/(core|server)\/dist\/.*\.mjs$/ },
        async ({ path }) => ({
          contents: lean(path, await readFile(path, "utf8"), onMismatch),
          loader: "js",
        }),
      );
    },
  };
}

/** Only `elicitInput` validates JSON Schema; our library asks through `inputRequired`, which does not. */
const SHIMS = `
// Importing node:process makes Node read all its properties, including the stderr stream.
export const process = globalThis.process;
export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error("JSON Schema cannot be validated here: the validator is left out of the bundle.");
  }
}`;

interface Change {
  readonly why: string;
  readonly files: readonly string[];
  /** Expected matches per file. If the number differs, review the changes of that SDK version first. */
  readonly places: readonly number[];
  readonly find: RegExp;
  readonly replace: string;
}

const LOOK_FIRST = "A schema takes 15 µs to refuse a message; a missing member refuses it at once.";

const CHANGES: readonly Change[] = [
  {
    why: "Marks every schema as free of side effects, which lets the bundler drop unused ones.",
    files: ["schemas-", "auth-"],
    places: [166, 14],
    find: /^const (\w+) = ((?:z|[A-Z]\w*Schema)\.[\s\S]*?);\n(?=const |\/\*|\n|function |\/\/)/gm,
    replace: "const $1 = /* @__PURE__ */ (() => $2)();\n",
  },
  {
    why: "The tables of all protocol types refer to every schema, but nothing uses the tables.",
    files: ["src-"],
    places: [1],
    find: /^(for \(const key of SPEC_SCHEMA_KEYS\).*\nfor \(const \[key, schema\] of .*)$/gm,
    replace: "const registered = (types) => {\n$1\nreturn Object.freeze(types);\n};",
  },
  {
    why: "The second part of the change above.",
    files: ["src-"],
    places: [2],
    find: /= Object\.freeze\((_specTypeSchemas|_isSpecType)\)/g,
    replace: "= /* @__PURE__ */ registered($1)",
  },
  {
    why: LOOK_FIRST,
    files: ["src-"],
    places: [1],
    find: /^const isJSONRPCNotification = \(value\) => /gm,
    replace: "$&value?.method !== void 0 && value.id === void 0 && ",
  },
  {
    why: LOOK_FIRST,
    files: ["src-"],
    places: [1],
    find: /^const isJSONRPCResultResponse = \(value\) => /gm,
    replace: "$&value?.result !== void 0 && ",
  },
  {
    why: LOOK_FIRST,
    files: ["src-"],
    places: [1],
    find: /^const isJSONRPCErrorResponse = \(value\) => /gm,
    replace: "$&value?.error !== void 0 && ",
  },
];

function lean(path: string, source: string, onMismatch: OnMismatch): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  let text = source;
  for (const change of CHANGES) {
    const index = change.files.findIndex((begin) => name.startsWith(begin));
    if (index === -1) continue;
    const found = text.match(change.find)?.length ?? 0;
    if (found !== change.places[index]) {
      onMismatch(name, found, change, index);
      return source;
    }
    text = text.replace(change.find, change.replace);
  }
  return text;
}

/** zod includes messages in about fifty languages, 200 kB; ours are in English. */
export const englishOnly: Plugin = {
  name: "english-only",
  setup(bundling) {
    bundling.onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: `export { default as en } from "./en.js";`,
      loader: "js",
    }));
  },
};
