import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "../docs/decisions");
const read = (page: string) => readFileSync(join(folder, page), "utf8");

test("the index of decisions lists every page under its own title", () => {
  const listed = [...read("README.md").matchAll(/^\| \[(.+)\]\((\d{4}-[^)]+)\) \|/gm)];
  const pages = readdirSync(folder).filter((name) => /^\d{4}-.*\.md$/.test(name));
  expect(pages.length).toBeGreaterThan(0);
  expect(Object.fromEntries(listed.map(([, title, page = ""]) => [page, title]))).toEqual(
    Object.fromEntries(pages.map((page) => [page, /^# (.*)$/m.exec(read(page))?.[1]])),
  );
});
