import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./packages.ts";

const page = readFileSync(join(root, "docs/specification.md"), "utf8");

const sections = page.split("\n## ");
const rowsIn = (text: string) =>
  text
    .split("\n")
    .filter((line) => /^\| [TG]-/.test(line))
    .map((line) => line.slice(2, -2).split(" | "));

const promises = sections
  .filter((section) => !section.startsWith("Kept differently"))
  .flatMap(rowsIn)
  .map(([id = "", promise = "", where = "", proof = ""]) => ({ id, promise, where, proof }));
const untestable = promises.filter(({ proof }) => /^not testable: \S/.test(proof));
const differing = sections
  .filter((section) => section.startsWith("Kept differently"))
  .flatMap(rowsIn)
  .map(([ids = "", , , decision = ""]) => ({
    ids: ids.split(", "),
    decision: /\((decisions\/[^)]+)\)/.exec(decision)?.[1] ?? "",
  }));

test("every promise of the specification has its own id, and a proof or the reason there is none", () => {
  const ids = promises.map(({ id }) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  for (const { id, promise, where, proof } of promises) {
    expect(id).toMatch(/^[TG]-[A-Z]+-\d\d$/);
    expect([promise, where], id).not.toContain("");
    if (!untestable.some((one) => one.id === id))
      expect(proof, id).toMatch(/^`[^`]+\.ts` "[^"]+"(<br>`[^`]+\.ts` "[^"]+")*$/);
  }
});

test("every test cited on the specification page exists, under its title", () => {
  const missing = promises.flatMap(({ id, proof }) =>
    [...proof.matchAll(/`([^`]+\.ts)` "([^"]+)"/g)]
      .filter(([, file = "", title = ""]) => !titlesIn(file).has(title))
      .map(([, file, title]) => `${id}: ${file} has no test "${title}"`),
  );
  expect(missing).toEqual([]);
});

test("the totals on the specification page match its rows, and deviations name a decision", () => {
  const ids = promises.map(({ id }) => id);
  const different = differing.flatMap((row) => row.ids);
  expect(different.filter((id) => !ids.includes(id))).toEqual([]);
  expect(
    differing.filter(({ decision }) => !isFile(join(root, "docs", decision.replace(/#.*/, "")))),
  ).toEqual([]);
  const kept = promises.length - different.length - untestable.length;
  expect(/makes .* cannot be tested\./.exec(page)?.[0]).toBe(
    `makes ${promises.length} promises. ${kept} are kept as specified, ${different.length} are kept differently, and ${untestable.length} cannot be tested.`,
  );
});

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

const known = new Map<string, ReadonlySet<string>>();

/** As written. */
function titlesIn(file: string): ReadonlySet<string> {
  const before = known.get(file);
  if (before !== undefined) return before;
  const titles = new Set<string>();
  if (isRun(file)) {
    const text = readFileSync(join(root, file), "utf8");
    for (const [, title = ""] of text.matchAll(/(?:\b(?:it|test)\(|\)\()\s*"((?:[^"\\\n]|\\.)*)"/g))
      titles.add(title);
  }
  known.set(file, titles);
  return titles;
}

/** It is a test file, or one next to it imports it. */
function isRun(file: string): boolean {
  if (!isFile(join(root, file))) return false;
  if (file.endsWith(".test.ts")) return true;
  const folder = join(root, dirname(file));
  return readdirSync(folder)
    .filter((name) => name.endsWith(".test.ts"))
    .some((name) => readFileSync(join(folder, name), "utf8").includes(`"./${basename(file)}"`));
}
