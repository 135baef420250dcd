import { readFileSync } from "node:fs";
import endMention from "twitter-text/dist/regexp/endMentionMatch.js";
import hashtagLetter from "twitter-text/dist/regexp/hashtagAlpha.js";
import hashtagCharacter from "twitter-text/dist/regexp/hashtagAlphaNumeric.js";
import invalid from "twitter-text/dist/regexp/invalidChars.js";
import spaces from "twitter-text/dist/regexp/spaces.js";
import domain from "twitter-text/dist/regexp/validDomainChars.js";
import path from "twitter-text/dist/regexp/validGeneralUrlPathChars.js";
import beforeUrl from "twitter-text/dist/regexp/validUrlPrecedingChars.js";
import query from "twitter-text/dist/regexp/validUrlQueryChars.js";
import queryEnd from "twitter-text/dist/regexp/validUrlQueryEndingChars.js";
import { expect, test } from "vitest";
import {
  BEFORE_CASHTAG,
  classAt,
  HASHTAG,
  HASHTAG_LETTER,
  isLatinAccent,
  NOT_BEFORE_URL,
  NOT_IN_DOMAIN,
  PATH,
  QUERY,
  QUERY_END,
} from "../src/text/char-classes.ts";
import { scan, UNSTABLE } from "../src/text/scan.ts";
import { asciiTlds } from "../src/text/tables.gen.ts";
import { tldLengthAt } from "../src/text/tlds.ts";
import { unitsOf } from "../src/text/units.ts";
import { printTables, tablesFile } from "./text-tables.ts";

test("the generated tables equal the generator's output for the published rules", () => {
  expect(readFileSync(tablesFile, "utf8")).toBe(printTables());
});

test.each([
  ["no part of a domain", NOT_IN_DOMAIN, not(domain)],
  ["not before a link", NOT_BEFORE_URL, not(beforeUrl)],
  ["part of a path", PATH, whole(path, "i")],
  ["part of a query", QUERY, whole(query, "i")],
  ["the end of a query", QUERY_END, whole(queryEnd, "i")],
  ["part of a hashtag", HASHTAG, whole(hashtagCharacter, "i")],
  ["a letter of a hashtag", HASHTAG_LETTER, whole(hashtagLetter, "i")],
  ["a space before a cashtag", BEFORE_CASHTAG, whole(spaces)],
] as const)("every character is %s exactly where the rules say so", (_, bits, rule) => {
  const differing = everyUnit().filter((unit) => has(unit, bits) !== rule.test(unit));
  expect(differing).toEqual([]);
});

test("every accent that ends a mention ends it here", () => {
  const ends = (unit: string) => endMention.test(unit) && !/[@＠]/.test(unit);
  expect(everyUnit().filter((unit) => isLatinAccent(unit.charCodeAt(0)) !== ends(unit))).toEqual([]);
});

test("stable characters are valid and have one normal form in any context", () => {
  const stable = everyUnit().filter((unit) => !isSurrogate(unit) && (scan(unit).seen & UNSTABLE) === 0);
  expect(stable.length).toBeGreaterThan(30_000);
  for (const unit of stable) {
    expect(unit.normalize("NFC")).toBe(unit);
    expect(invalid.test(unit)).toBe(false);
  }
  // Only marks and the vowels and finals of Hangul join the preceding character.
  const joining = stable.filter((unit) => /[\p{M}\u1160-\u11ff]/u.test(unit));
  expect(joining).toEqual(["\ufe0f"]);
  for (let point = 0x1f000; point < 0x1fc00; point++) {
    const character = String.fromCodePoint(point);
    expect(character.normalize("NFC")).toBe(character);
    expect(character).not.toMatch(/\p{M}/u);
  }
});

test("every top-level domain is found by its hash, and hash collisions are rejected", () => {
  for (const tld of asciiTlds.split(" ")) {
    expect(tldLengthAt(unitsOf(tld), 0, tld.length)).toBe(tld.length);
    expect(tldLengthAt(unitsOf(tld.toUpperCase()), 0, tld.length)).toBe(tld.length);
    expect(tldLengthAt(unitsOf(`${tld}qqqq`), 0, tld.length + 4)).toBe(0);
  }
});

/** The published patterns describe one character; anchored for the tables here. */
function whole(rule: RegExp, flags = ""): RegExp {
  return new RegExp(`^(?:${rule.source})$`, flags);
}

function not(rule: RegExp): { test(unit: string): boolean } {
  const complete = whole(rule);
  return { test: (unit) => !complete.test(unit) };
}

function everyUnit(): string[] {
  return Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));
}

function has(unit: string, bits: number): boolean {
  return (classAt(unitsOf(unit), 0) & bits) !== 0;
}

function isSurrogate(unit: string): boolean {
  return unit >= "\ud800" && unit <= "\udfff";
}
