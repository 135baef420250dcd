import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { german } from "./de/german.ts";
import { english } from "./en/english.ts";

const source = join(import.meta.dirname, "..");

test("no constant of a module holds a text, which would be English before another language is loaded", () => {
  const found = globSync("**/*.{ts,tsx}", { cwd: source, exclude: ["text/**", "**/*.test.ts"] }).flatMap(
    (file) =>
      readFileSync(join(source, file), "utf8")
        // Declarations at the top level begin at the first column, and last until a line that ends there.
        .split(/\n(?=\S)/)
        .filter((part) => /^(export )?const (?!.*=>)/.test(part) && /(?<!typeof )\bwords\./.test(part))
        .map((part) => `${file}: ${part.split("\n")[0]}`),
  );
  expect(found).toEqual([]);
});

test("the German page has a text for each English one, and repeats none but names and shared words", () => {
  const texts = leavesOf(english).filter(([area = ""]) => !TO_DO.includes(area));
  const missing = texts.filter((path) => typeof valueAt(german, path) !== typeof valueAt(english, path));
  expect(missing.map((path) => path.join("."))).toEqual([]);
  const same = texts
    .filter((path) => path.at(-1) !== "code" && typeof valueAt(english, path) === "string")
    .filter((path) => valueAt(german, path) === valueAt(english, path))
    .filter((path) => /\p{L}{2}/u.test(String(valueAt(english, path))));
  expect([...new Set(same.map((path) => String(valueAt(english, path))))].toSorted()).toEqual(SHARED);
});

const TO_DO: readonly string[] = ["inbox", "mentions", "compose", "calendar", "discovery"];

/** Words that both languages spell the same. */
const SHARED: readonly string[] = [
  "/  Ctrl K",
  "Autopilot",
  "Deutsch",
  "English",
  "Likes",
  "Limits",
  "Name",
  "Passkeys",
  "Passphrase",
  "Post",
  "Posts",
  "Reposts",
  "Thread",
  "npx tuitbot web",
];

function leavesOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, part]) => leavesOf(part, [...path, key]));
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((part: unknown, key) => Object(part)[key] as unknown, value);
}
