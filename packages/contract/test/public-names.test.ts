import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";

const MAX_PUBLIC_NAMES = 120;

const folder = resolve(import.meta.dirname, "..");
const manifest: { exports: Record<string, { "toolpact-source": string }> } = JSON.parse(
  readFileSync(join(folder, "package.json"), "utf8"),
);
const entries = Object.entries(manifest.exports)
  .filter(([entry]) => !entry.startsWith("./internal"))
  .map(([entry, { "toolpact-source": source }]) => ({ entry, file: join(folder, source) }));

test(`the entry points without /internal export at most ${MAX_PUBLIC_NAMES} names`, () => {
  const names = entries.flatMap(({ entry, file }) => namesIn(file).map(({ name }) => `${entry} ${name}`));
  expect(names.length).toBeGreaterThan(80);
  expect(names.length, names.join("\n")).toBeLessThanOrEqual(MAX_PUBLIC_NAMES);
});

test("every public export has a doc comment", () => {
  const missing = entries.flatMap(({ entry, file }) =>
    namesIn(file)
      .filter(({ name, from }) => !isDocumented(name, from))
      .map(({ name }) => `${entry} ${name}`),
  );
  expect(missing).toEqual([]);
});

test.each([
  ["ToolBasics", "src/declaration.ts"],
  ["ToolHead", "src/declaration.ts"],
  ["Work", "src/declaration.ts"],
  ["ServerToolHead", "src/server-options.ts"],
  ["ServerOptions", "src/server-options.ts"],
  ["AppParts", "src/server-options.ts"],
  ["ResourceDeclaration", "src/resource.ts"],
  ["Prompt", "src/prompt.ts"],
  ["PromptArgument", "src/prompt.ts"],
  ["ProtectOptions", "src/guards/protect-options.ts"],
])("every field of %s in %s has a doc comment", (name, file) => {
  expect(undocumentedFields(readFileSync(join(folder, file), "utf8"), name)).toEqual([]);
});

interface PublicName {
  readonly name: string;
  readonly from: string;
}

function namesIn(file: string): PublicName[] {
  const text = readFileSync(file, "utf8");
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}(?: from "([^"]+)")?;/gm)].flatMap(
    ([, names = "", from]) =>
      names
        .split(",")
        .map((name) => name.trim().replace(/^type /, ""))
        .filter((name) => name !== "")
        .map((name) => ({ name, from: fileOf(file, from ?? importOf(text, name)) })),
  );
  const declared = [...text.matchAll(DECLARATION)].map(([, name = ""]) => ({ name, from: file }));
  return [...listed, ...declared];
}

const DECLARATION = /^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm;

function importOf(text: string, name: string): string {
  const found = [...text.matchAll(/^import (?:type )?\{([^}]*)\} from "([^"]+)";/gm)].find(([, names = ""]) =>
    names.split(",").some((one) => one.trim().replace(/^type /, "") === name),
  );
  if (found?.[2] === undefined) throw new Error(`${name} is exported, but neither declared nor imported.`);
  return found[2];
}

function fileOf(importer: string, module: string): string {
  if (module.startsWith(".")) return join(dirname(importer), module);
  const source = join(folder, "..", module.replace("@toolpact/", ""), "src/index.ts");
  return existsSync(source) ? source : createRequire(importer).resolve(module);
}

function isDocumented(name: string, file: string): boolean {
  const text = readFileSync(file, "utf8");
  return new RegExp(`\\*/\\n(export )?(async )?(function|const|class|interface|type) ${name}\\b`).test(text);
}

/** Fields at the first level without a doc comment above them. */
function undocumentedFields(text: string, name: string): string[] {
  const lines = text.slice(text.search(new RegExp(`(interface|type) ${name}\\b`))).split("\n");
  const end = lines.findIndex((line) => /^\}/.test(line));
  return lines.slice(0, end).flatMap((line, at) => {
    const field = /^ {2}readonly (\w+)/.exec(line)?.[1];
    return field === undefined || lines[at - 1]?.trimEnd().endsWith("*/") ? [] : [field];
  });
}
