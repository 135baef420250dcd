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

test("types that fit the code are no problem, though an ES module cannot be required by an old Node", async () => {
  expect(await problemsOf("./dist/index.d.ts", "export declare const sides: number;\n")).toEqual([]);
});

test("types that are not where the package says, or import what is not there, are", async () => {
  expect(await problemsOf("./dist/gone.d.ts", "")).toEqual(["dice: FallbackCondition ."]);
  expect(await problemsOf("./dist/index.d.ts", 'export * from "./gone.js";\n')).toEqual([
    "dice: InternalResolutionError /node_modules/dice/dist/index.d.ts",
  ]);
});
