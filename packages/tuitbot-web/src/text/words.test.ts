import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apps as germanApps } from "./de/apps.ts";
import { german } from "./de/german.ts";
import { apps as englishApps } from "./en/apps.ts";
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
  const texts = leavesOf(ENGLISH);
  const missing = texts.filter((path) => typeof valueAt(GERMAN, path) !== typeof valueAt(ENGLISH, path));
  expect(missing.map((path) => path.join("."))).toEqual([]);
  const same = texts
    .filter((path) => path.at(-1) !== "code" && typeof valueAt(ENGLISH, path) === "string")
    .filter((path) => valueAt(GERMAN, path) === valueAt(ENGLISH, path))
    .filter((path) => /\p{L}{2}/u.test(String(valueAt(ENGLISH, path))));
  expect([...new Set(same.map((path) => String(valueAt(ENGLISH, path))))].toSorted()).toEqual(SHARED);
});

const ENGLISH = { ...english, apps: englishApps };
const GERMAN = { ...german, apps: germanApps };

/** Words that both languages spell the same. */
const SHARED: readonly string[] = [
  "/  Ctrl K",
  "Autopilot",
  "Details",
  "Deutsch",
  "Editor",
  "English",
  "Like",
  "Likes",
  "Limits",
  "Name",
  "Passkeys",
  "Passphrase",
  "Post",
  "Posts",
  "Repost",
  "Reposts",
  "Thread",
  "bad",
  "npx tuitbot web",
  "ok",
  "warn",
];

function leavesOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, part]) => leavesOf(part, [...path, key]));
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((part: unknown, key) => Object(part)[key] as unknown, value);
}
