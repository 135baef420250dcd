import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./packages.ts";

/**
 * With the reason nobody outside can make the expression slow. Callers' patterns go through `compileGlob` or
 * `matchInTime`.
 */
const ALLOWED: Readonly<Record<string, string>> = {
  "packages/bench/src/wire/http-socket.ts": "a header name of the benchmark",
  "packages/contract/src/command/gate-wrap-command.ts": "values in a client's own file, escaped",
  "packages/contract/src/openapi/schemas.ts": "compiled to check its syntax; matches nothing",
  "packages/contract/src/resource.ts": "addresses that a product declares, escaped",
  "packages/godot-mcp-omni/src/graph/occurrences.ts": "one name, escaped, between two boundaries",
  "packages/godot-mcp-omni/src/scene-model/known-properties.ts": "a table of this package",
  "packages/godot-mcp-omni/src/tools/code/edit-text.ts": "runs in matchInTime",
  "packages/godot-mcp-omni/src/workflow/run.ts": "runs in matchInTime",
  "packages/tuitbot/src/cli/drafts/draft-view.ts": "a number of dashes",
  "packages/tuitbot/src/config/config-file.ts": "a key of the configuration's own table",
  "packages/tuitbot/src/discovery/words.ts": "words, escaped, without nested repetition",
  "packages/tuitbot/src/injection/fold.ts": "a table of this package",
  "packages/tuitbot/src/injection/judge.ts": "a sign of this package with another flag",
  "packages/tuitbot/src/injection/language.ts": "names of scripts in this package",
  "packages/tuitbot/src/injection/values.ts": "tables of this package",
  "packages/tuitbot/src/writing/check.ts": "a constant separator",
  "packages/x-api/src/text/emoji.ts": "ranges of Unicode in this package",
  "packages/x-api/src/value-check.ts": "patterns of X's API description, which is part of this package",
  "packages/x-sandbox/src/http/check-value.ts": "patterns of X's API description",
  "packages/x-sandbox/src/http/exchange.ts": "a number",
  "packages/x-sandbox/src/operations/post-writes.ts": "a username, which has letters, digits and _ only",
};

/** Anything except a literal. */
const BUILT = /\bRegExp\((?!\s*(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`$\\]|\\.)*`)\s*[,)])/;

const files = globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root }).filter(
  (file) => !/\.(?:test|gen)\.tsx?$/.test(file),
);

test("no shipped code builds a regular expression from a value, except with a documented reason", () => {
  const building = files.filter((file) => BUILT.test(readFileSync(join(root, file), "utf8")));
  expect(building.sort()).toEqual(Object.keys(ALLOWED).sort());
});

test.each([
  ["new RegExp(pattern)", true],
  [["RegExp(`^$", "{key}$`, 'u')"].join(""), true],
  ['new RegExp("a" + b)', true],
  ["new RegExp(\n  pattern,\n)", true],
  ['new RegExp("a\\\\.b", "u")', false],
  ["new RegExp(`a`)", false],
  ["isRegExp", false],
])("the search takes %j for one that is built: %s", (code, isBuilt) => {
  expect(BUILT.test(code)).toBe(isBuilt);
});
