import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { typeProblems } from "./types-shape.ts";

async function problemsOf(types: string, declaration: string) {
  const folder = mkdtempSync(join(tmpdir(), "toolpact-types-"));
  try {
    const files = {
      "package.json": JSON.stringify({
        name: "dice",
        version: "1.0.0",
        type: "module",
        exports: { ".": { types, default: "./dist/index.js" } },
      }),
      "dist/index.js": "export const sides = 6;\n",
      "dist/index.d.ts": declaration,
    };
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    const pkg = { name: "dice", version: "1.0.0", folder, isPrivate: false, dependencies: [], bins: [] };
    return await typeProblems(pkg, Object.keys(files));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("matching types are accepted, although an old Node cannot require an ES module", async () => {
  expect(await problemsOf("./dist/index.d.ts", "export declare const sides: number;\n")).toEqual([]);
});

test("types in the wrong place, or with broken imports, are rejected", async () => {
  expect(await problemsOf("./dist/gone.d.ts", "")).toEqual(["dice: FallbackCondition ."]);
  expect(await problemsOf("./dist/index.d.ts", 'export * from "./gone.js";\n')).toEqual([
    "dice: InternalResolutionError /node_modules/dice/dist/index.d.ts",
  ]);
});
