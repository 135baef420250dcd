import { readFile, realpath, rename, stat, writeFile } from "node:fs/promises";
import { extname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { withFileLock } from "@toolpact/file-lock";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { parse as parseToml } from "smol-toml";
import { isJsonObject, type JsonObject, parseJson } from "../json.ts";
import type { SimilarEntry } from "./similar-rules.ts";

/** Adds a rule to the end of the policy file. Everything else in the file stays as it is. */
export function addSimilar(path: string, entry: SimilarEntry): Promise<Outcome<void, string>> {
  return change(
    path,
    (text, isJson) =>
      isJson ? withJson(text, (all) => [...all, entry]) : `${text}${endOf(text)}${tableOf(entry)}`,
    (all) => [...all, entry],
  );
}

/** Removes the rules of an item. Fails with a sentence if there are none. */
export function removeSimilar(path: string, item: number): Promise<Outcome<void, string>> {
  const others = (all: readonly JsonObject[]) => all.filter((one) => one.item !== item);
  return change(
    path,
    (text, isJson) => (isJson ? withJson(text, others) : withoutTables(text, item)),
    others,
  );
}

type Change = (all: readonly JsonObject[]) => readonly object[];

const LOCK_MS = 10_000;

/** Writes the file if it then has exactly the expected rules, and no other difference. */
async function change(
  given: string,
  edit: (text: string, isJson: boolean) => string,
  expected: Change,
): Promise<Outcome<void, string>> {
  try {
    // The file itself, and not a link to it.
    const path = await realpath(given);
    const isJson = extname(path) === ".json";
    const changed = await withFileLock(`${path}.lock`, { giveUpMs: LOCK_MS }, async () => {
      const before = await readFile(path, "utf8");
      const after = edit(before, isJson);
      const [was, is] = [objectIn(before, isJson), objectIn(after, isJson)];
      const wanted = expected(similarIn(was));
      if (similarIn(was).length === wanted.length) return failed("The policy has no such rule.");
      if (!isDeepStrictEqual({ ...is, similar: similarIn(is) }, { ...was, similar: wanted }))
        return failed(`${given} cannot be changed here. Edit its [[similar]] tables by hand.`);
      await writeFile(`${path}.new`, after, { mode: (await stat(path)).mode });
      await rename(`${path}.new`, path);
      return ok(undefined);
    });
    return changed.ok ? changed.value : failed(`${given} cannot be changed: ${changed.failure.kind}.`);
  } catch (error) {
    return failed(`${given} cannot be changed: ${(error as Error).message}`);
  }
}

function objectIn(text: string, isJson: boolean): JsonObject {
  // A clone of the parser's objects can be compared with our own.
  const parsed = isJson ? parseJson(text) : (structuredClone(parseToml(text)) as JsonObject);
  return isJsonObject(parsed) ? parsed : {};
}

function similarIn({ similar }: JsonObject): readonly JsonObject[] {
  return Array.isArray(similar) ? similar.filter(isJsonObject) : [];
}

function withJson(text: string, change: Change): string {
  const policy = objectIn(text, true);
  return `${JSON.stringify({ ...policy, similar: change(similarIn(policy)) }, null, 2)}\n`;
}

function endOf(text: string): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  return text === "" || text.endsWith("\n") ? newline : newline + newline;
}

function tableOf(entry: SimilarEntry): string {
  const members = Object.entries(entry).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} = ${tomlValue(value)}\n`],
  );
  return `[[similar]]\n${members.join("")}`;
}

/** A text in single quotes has no escapes, so conditions stay readable. */
function tomlValue(value: SimilarEntry[keyof SimilarEntry]): string {
  const isPlain = typeof value === "string" && /^[^'\p{Cc}]*$/u.test(value);
  return isPlain ? `'${value}'` : JSON.stringify(value);
}

/** The text without the tables of an item, and without the empty line in front of each. */
function withoutTables(text: string, item: number): string {
  return text.split(/(?=^[ \t]*\[)/m).reduce((kept, part) => {
    const isOwn = part.startsWith("[[similar]]") && /^item = (\d+)\s*$/m.exec(part)?.[1] === String(item);
    return isOwn ? kept.replace(/(\n)\r?\n$/, "$1") : kept + part;
  }, "");
}
