import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { root } from "./packages.ts";

const INDEX = "docs/README.md";

/** The documentation index as links to Markdown files, copied next to the pages. */
export function writeLlmsText(site: string): void {
  const pages = new Set<string>();
  const lines = readFileSync(join(root, INDEX), "utf8")
    .split("\n")
    .flatMap((line) => {
      if (line.startsWith("## ")) return ["", line];
      const [, first, rest = ""] = /^\| (.*?) \| (.*?) \|$/.exec(line) ?? [];
      if (first === undefined) return [];
      // A row has a page and its description, or a name and several pages.
      const links = [...`${first} ${rest}`.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)];
      return links.map(([, title, target = ""]) => {
        const page = normalize(join(dirname(INDEX), target));
        pages.add(page);
        return first.startsWith("[") ? `- [${title}](${page}): ${rest}` : `- [${first}: ${title}](${page})`;
      });
    });
  for (const page of pages) {
    mkdirSync(dirname(join(site, page)), { recursive: true });
    cpSync(join(root, page), join(site, page));
  }
  const [summary = ""] = /^\*\*.*$/m.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
  writeFileSync(
    join(site, "llms.txt"),
    `# Toolpact\n\n> ${summary.replaceAll("**", "")}\n${lines.join("\n")}\n`,
  );
}
