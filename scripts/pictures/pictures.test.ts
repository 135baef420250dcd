import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../packages.ts";

const folder = join(root, "docs/pictures");
const pictures = readdirSync(folder).filter((name) => /\.(webp|png|svg)$/.test(name));
const pages = ["*.md", "docs/**/*.md", "packages/*/README.md", "scripts/distribution/install-links.ts"]
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .map((page) => readFileSync(join(root, page), "utf8"));

test("every picture is on a page", () => {
  const unused = pictures.filter((name) => !pages.some((page) => page.includes(name)));
  expect(unused).toEqual([]);
});

/** In points, by kind of window. */
const POINTS: readonly (readonly [RegExp, number])[] = [
  [/^web-.*-(light|dark)\.webp$/, 1_280],
  [/^web-.*-phone\.webp$/, 390],
  [/^approve-chat/, 720],
  [/^approve-/, 640],
  [/^hero/, 1_200],
  [/^web-film/, 1_560],
];

test.each(pictures.filter((name) => POINTS.some(([kind]) => kind.test(name))))(
  "%s has two pixels per point",
  (name) => {
    const [, points = 0] = POINTS.find(([kind]) => kind.test(name)) ?? [];
    expect(widthOf(readFileSync(join(folder, name)))).toBe(2 * points);
  },
);

/** For WebP with the extended header, as Chromium writes it. */
function widthOf(webp: Buffer): number {
  expect(webp.toString("latin1", 12, 16)).toBe("VP8X");
  return 1 + webp.readUIntLE(24, 3);
}
