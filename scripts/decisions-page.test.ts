import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "../docs/decisions");
const read = (page: string) => readFileSync(join(folder, page), "utf8");
const pages = readdirSync(folder).filter((name) => /^\d{4}-.*\.md$/.test(name));
const rows = read("README.md").matchAll(/^\| \[(.+)\]\((\d{4}-[^)]+)\) \| (.+) \| (.+) \| (.+) \|$/gm);
const listed = [...rows].map(([, title, page = "", words, date = "", status = ""]) => ({
  title,
  page,
  words,
  date,
  status,
}));

test("the index of decisions lists every page under its own title", () => {
  expect(Object.fromEntries(listed.map(({ page, title }) => [page, title]))).toEqual(
    Object.fromEntries(pages.map((page) => [page, /^# (.*)$/m.exec(read(page))?.[1]])),
  );
});

test("every decision in the index has a date and a status", () => {
  for (const { page, date, status } of listed) {
    expect(date, page).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(status, page).toMatch(/^in force$|^replaced by \[/);
  }
});

test("a new decision joins the page of its topic: there are at most 40 pages", () => {
  expect(pages.length).toBeLessThanOrEqual(40);
});
