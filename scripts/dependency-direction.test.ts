import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packages, root } from "./packages.ts";

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  "@toolpact/outcome": [],
  "@toolpact/cli": ["@toolpact/outcome"],
  "@toolpact/contract": ["@toolpact/outcome", "@toolpact/cli", "@toolpact/file-lock"],
  "@toolpact/file-lock": ["@toolpact/outcome"],
  toolpact: ["@toolpact/cli", "@toolpact/contract"],
  "create-toolpact": ["@toolpact/outcome"],
  "@toolpact/x-api": ["@toolpact/outcome", "@toolpact/cli", "@toolpact/file-lock"],
  "@toolpact/x-sandbox": [
    "@toolpact/outcome",
    "@toolpact/cli",
    "@toolpact/x-api/operations",
    "@toolpact/x-api/text",
  ],
  tuitbot: [
    "@toolpact/outcome",
    "@toolpact/cli",
    "@toolpact/contract",
    "@toolpact/file-lock",
    "@toolpact/x-api",
    "@toolpact/x-sandbox",
  ],
  // Types only, which leave no code.
  "@toolpact/tuitbot-web": ["@toolpact/outcome", "@toolpact/x-api/text", "tuitbot/src/web/api.ts"],
  "godot-mcp-omni": ["@toolpact/outcome", "@toolpact/cli", "@toolpact/contract", "@toolpact/file-lock"],
  "@toolpact/conformance": ["@toolpact/contract"],
  "@toolpact/bench": ["@toolpact/outcome", "@toolpact/contract", "@toolpact/x-api", "@toolpact/x-sandbox"],
};

const IMPORT = /(?:from|import)\s*\(?\s*["']([^"']+)["']/g;

describe.each(packages())("$name", ({ name, folder }) => {
  const files = readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".test.ts"))
    .map((file) => join(folder, "src", file));
  const imports = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(IMPORT)].map(([, specifier = ""]) => ({
      file: file.slice(root.length + 1),
      specifier,
    })),
  );

  test("imports only allowed packages", () => {
    const allowed = ALLOWED[name] ?? [];
    const ours = Object.keys(ALLOWED);
    const wrong = imports.filter(({ specifier }) => {
      const target = ours.find(
        (candidate) => specifier === candidate || specifier.startsWith(`${candidate}/`),
      );
      return (
        target !== undefined &&
        !allowed.some((entry) => specifier === entry || specifier.startsWith(`${entry}/`))
      );
    });
    expect(wrong).toEqual([]);
  });

  test("makes no folders with Node's recursive option, which never ends under /proc", () => {
    const RECURSIVE = /mkdir(Sync)?\([^;]*recursive: true/;
    expect(files.filter((file) => RECURSIVE.test(readFileSync(file, "utf8")))).toEqual([]);
  });

  test("reaches no other package by a relative path", () => {
    const relative = imports.filter(({ specifier }) => specifier.startsWith("."));
    // The bench runs other packages' measurements.
    const inside =
      name === "@toolpact/bench"
        ? /^packages\/[\w-]+\/bench\/|^packages\/bench\/|^scripts\//
        : new RegExp(`^packages/${folder.split("/").at(-1)}/`);
    const outside = relative.filter(({ file, specifier }) => !inside.test(join(file, "..", specifier)));
    expect(outside).toEqual([]);
  });
});

test("tuitbot's command line and web server leave SQL to lower layers", () => {
  const SQL = /from "kysely"|\.(selectFrom|insertInto|updateTable|deleteFrom)\(/;
  const files = ["cli", "web"].flatMap((layer) => {
    const folder = join(root, "packages/tuitbot/src", layer);
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => join(folder, file));
  });
  expect(files.filter((file) => SQL.test(readFileSync(file, "utf8")))).toEqual([]);
});
