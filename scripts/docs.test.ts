import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "./run.ts";

describe("the documentation site", () => {
  const folder = mkdtempSync(join(tmpdir(), "toolpact-docs-"));
  let pages: readonly string[];

  beforeAll(async () => {
    // A link to a page that is not there fails the build.
    const built = await run("vitepress", ["build", "--outDir", folder]);
    expect(built.ok, built.output).toBe(true);
    pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".html"),
    );
  }, 300_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("has every guide, the generated reference and the decisions, and begins with the README", () => {
    for (const page of [
      "docs/tools",
      "docs/godot-tools",
      "docs/cli",
      "docs/configuration",
      "packages/contract/README",
    ])
      expect(pages).toContain(`${page}.html`);
    const decisions = readdirSync("docs/decisions").map(
      (name) => `docs/decisions/${name.replace(/md$/, "html")}`,
    );
    expect(pages).toEqual(expect.arrayContaining(decisions));
    expect(readFileSync(join(folder, "index.html"), "utf8")).toContain("MCP servers that an agent");
  });

  test("no page leads to a page, a picture or a place in a page that is not there", () => {
    const missing: string[] = [];
    for (const page of pages) {
      const html = readFileSync(join(folder, page), "utf8");
      for (const [, address = ""] of html.matchAll(/<(?:a|img)\b[^>]*?\s(?:href|src)="([^"]+)"/g)) {
        if (/^([a-z]+:|data:)/.test(address)) continue;
        const [path = "", hash] = decodeURI(address.replaceAll("&amp;", "&")).split("#");
        const file = path === "" ? page : pageAt(path, page);
        const isThere = file !== undefined && (hash === undefined || hash === "" || hasPlace(file, hash));
        if (!isThere) missing.push(`${page}: ${address}`);
      }
    }
    expect(missing).toEqual([]);
  });

  test("can be searched without a server", () => {
    const index = readdirSync(join(folder, "assets/chunks")).find((file) =>
      file.startsWith("@localSearchIndex"),
    );
    expect(readFileSync(join(folder, "assets/chunks", index ?? ""), "utf8")).toContain("Stopping all agents");
  });

  /** The file behind an address, as a server of files finds it. */
  function pageAt(path: string, from: string): string | undefined {
    const file = path.startsWith("/") ? path.slice(1) : relative(folder, join(folder, dirname(from), path));
    return [file, `${file}.html`, join(file, "index.html")].find(
      (candidate) => candidate !== "" && /\.\w+$/.test(candidate) && existsSync(join(folder, candidate)),
    );
  }

  function hasPlace(file: string, hash: string): boolean {
    return readFileSync(join(folder, file), "utf8").includes(`id="${hash}"`);
  }
});
