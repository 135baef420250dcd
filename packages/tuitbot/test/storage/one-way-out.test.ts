import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";

const src = new URL("../../src/", import.meta.url).pathname;

interface Module {
  readonly path: string;
  readonly text: string;
  /** Names that it imports as values, with where they come from. */
  readonly imports: readonly { readonly name: string; readonly from: string }[];
}

const modules: readonly Module[] = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name) => {
    const text = readFileSync(join(src, name), "utf8");
    return { path: relative("", name), text, imports: valueImports(text) };
  });

function valueImports(text: string): Module["imports"] {
  return [...text.matchAll(/^import (?!type )([^;]*?) from "([^"]+)";/gms)].flatMap(
    ([, names = "", from = ""]) =>
      names
        .replace(/[{}]/g, "")
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "" && !name.startsWith("type "))
        .map((name) => ({ name, from })),
  );
}

function importersOf(name: string): readonly string[] {
  return modules.filter(({ imports }) => imports.some((one) => one.name === name)).map(({ path }) => path);
}

test("one module makes everything that can send to X", () => {
  expect(importersOf("createXClient")).toEqual(["services/connect-x.ts"]);
  expect(importersOf("rawSender")).toEqual(["services/connect-x.ts"]);
});

test("nothing else opens a connection of its own", () => {
  const network = /^(node:)?(http|https|http2|net|tls|dgram)$|^undici$/;
  const openers = modules.filter(({ imports }) => imports.some(({ from }) => network.test(from)));
  expect(openers.map(({ path }) => path)).toEqual([]);
  // The machine's own `fetch` comes in once, where the command line starts.
  const fetchers = modules.filter(({ text }) => /(?<!typeof )globalThis\.fetch/.test(text));
  expect(fetchers.map(({ path }) => path)).toEqual(["start.ts"]);
});

test("tools reach X through their services alone", () => {
  const layers = /^(tools|toolkit|spec|approval|audit|budget|policy|guards|receipts|storage)\//;
  for (const { path, imports } of modules) {
    if (!layers.test(path)) continue;
    const around = imports.filter(({ from }) =>
      /services\/(connect-x|signed-in-account|sandbox-account)/.test(from),
    );
    expect(around, path).toEqual([]);
  }
});
