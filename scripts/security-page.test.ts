import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./packages.ts";

test("every test cited in the threat model exists, and every promise cites one", () => {
  const page = readFileSync(join(root, "docs/security.md"), "utf8");
  const [, proven = ""] = /## Proven promises\n([\s\S]*?)\n## /.exec(page) ?? [];
  const rows = proven.split("\n").filter((line) => /^\| (?!promise|-)/.test(line));
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) expect(row).toMatch(/\.test\.ts` \|$/);
  const named = [...page.matchAll(/`([^`\s]+\.test\.ts)`/g)].map(([, path = ""]) => path);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(readFileSync(join(root, "SECURITY.md"), "utf8")).toContain("(docs/security.md)");
});

test("every attack that the threat model lists has a number of attempts and a test", () => {
  const page = readFileSync(join(root, "docs/security.md"), "utf8");
  const [, tried = ""] = /## Attacks that were tried, and how often\n([\s\S]*?)\n## /.exec(page) ?? [];
  const rows = tried.split("\n").filter((line) => /^\| (?!attack that fails|-)/.test(line));
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) expect(row).toMatch(/^\| [^|]+ \| [^|]*\d[^|]* \| `[^|]+\.test\.ts` \|$/);
});
