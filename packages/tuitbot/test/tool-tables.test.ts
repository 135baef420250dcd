import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { errors } from "../src/errors.ts";
import { profiles } from "../src/profiles.ts";
import { profileManifest } from "../src/server/manifest.ts";
import { allTools } from "../src/tools/all-tools.ts";

const sources = join(import.meta.dirname, "../src");
const names = allTools.map(({ name }) => name).join("|");

/** Names of tools as the keys of an object, or as the members of a set. */
const KEY = new RegExp(`(?:^|[{,])\\s*["']?(${names})["']?\\s*:`, "gm");
const MEMBER = new RegExp(`["'](${names})["']`, "g");

test("what is known about a tool is in the tool: no table by tool names is anywhere else", () => {
  const tables = readdirSync(sources, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.ts$/.test(file) && !/^tools\/|\.(test|prebuilt)\.ts$/.test(file))
    .filter((file) => {
      const text = readFileSync(join(sources, file), "utf8");
      const sets = [...text.matchAll(/new (?:Set|Map)(?:<[^>]*>)?\(\[([^\]]*)\]/g)].map(
        ([, inside = ""]) => inside,
      );
      const members = sets.map(
        (inside) => new Set([...inside.matchAll(MEMBER)].map(([, name]) => name)).size,
      );
      return Math.max(new Set([...text.matchAll(KEY)].map(([, name]) => name)).size, ...members) >= 3;
    });
  expect(tables).toEqual([]);
});

test("every code can come from some tool, and a defect from any", () => {
  const codes = profiles.flatMap((profile) => {
    const { tools, common_error_codes } = profileManifest(profile);
    return [...common_error_codes, ...tools.flatMap(({ possible_error_codes }) => possible_error_codes)];
  });
  expect([...new Set(codes)].sort()).toEqual(Object.keys(errors.rows).sort());
});
