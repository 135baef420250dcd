import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { apps } from "../src/text/en/apps.ts";
import { english } from "../src/text/en/english.ts";

/** WebP is a third of the size of PNG at the same look. */
export const WEBP = { type: "webp", quality: 80 } as const;

const folder = join(import.meta.dirname, "../../../docs/pictures");
const list = join(folder, "texts.gen.json");

/** Writes a picture of the dashboard, and lists the dashboard's texts in it. */
export function writePicture(name: string, picture: Buffer, texts: readonly string[]): void {
  writeFileSync(join(folder, name), picture);
  listTexts(name, texts);
  console.log(`wrote docs/pictures/${name}`);
}

export function listTexts(name: string, texts: readonly string[]): void {
  const pictures = Object.entries({ ...listed(), [name]: texts }).toSorted(([a], [b]) => a.localeCompare(b));
  writeFileSync(list, `${JSON.stringify(Object.fromEntries(pictures), null, 2)}\n`);
}

/** The texts of the dashboard that a picture of this window shows. */
export async function textsOn(page: Page): Promise<readonly string[]> {
  const visible = await Promise.all(page.frames().map((frame) => frame.evaluate<string[]>(VISIBLE_TEXTS)));
  const known = dashboardTexts();
  return [...new Set(visible.flat())].filter((text) => known.has(text)).toSorted();
}

/** A program for the browser, as text: scripts without the types of a browser import this file. */
const VISIBLE_TEXTS = `(() => {
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (nodes.nextNode()) {
    const range = document.createRange();
    range.selectNode(nodes.currentNode);
    const { top, bottom, left, right, width } = range.getBoundingClientRect();
    const isSeen = width > 0 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
    if (isSeen) found.push(nodes.currentNode.nodeValue.trim());
  }
  return found;
})()`;

/** Pictures with a text that the dashboard no longer has, each with that text. */
export function stalePictures(): readonly string[] {
  const known = dashboardTexts();
  return Object.entries(listed()).flatMap(([name, texts]) =>
    texts
      .filter((text) => !known.has(text))
      .map((text) => `docs/pictures/${name} shows ${JSON.stringify(text)}`),
  );
}

function listed(): Readonly<Record<string, readonly string[]>> {
  return existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : {};
}

function dashboardTexts(): ReadonlySet<string> {
  return new Set([...textsIn(english), ...textsIn(apps)]);
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return /\p{L}{3}/u.test(value) ? [value.trim()] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The dashboard's font, for drawings next to pictures of it. */
export function fontFace(): string {
  const file = fileURLToPath(
    import.meta.resolve("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"),
  );
  const url = `data:font/woff2;base64,${readFileSync(file).toString("base64")}`;
  return `@font-face { font-family: "Inter"; font-weight: 100 900; src: url("${url}") format("woff2") }`;
}
