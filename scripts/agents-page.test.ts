import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./packages.ts";

test("every path that AGENTS.md names exists", () => {
  const page = readFileSync(join(root, "AGENTS.md"), "utf8");
  const inCode = [...page.matchAll(/`((?:packages|scripts|docs|\.ci)(?:\/[^`\s]*)?)`/g)];
  const linked = [...page.matchAll(/\]\(([^)#]+)\)/g)];
  const paths = [...inCode, ...linked].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
