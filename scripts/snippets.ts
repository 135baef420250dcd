import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageDiagram } from "./package-diagram.ts";
import { root } from "./packages.ts";

const SNIPPET = /<!-- from (\S+) -->\n```(\w+)\n[\s\S]*?```/g;

/**
 * Replaces every code block under a `<!-- from FILE -->` line with that file's content: each example is then code
 * covered by tests. `<!-- from packages -->` marks the package diagram.
 */
export function withSnippets(page: string): string {
  return readFileSync(join(root, page), "utf8").replace(
    SNIPPET,
    (_block, source: string, language: string) =>
      `<!-- from ${source} -->\n\`\`\`${language}\n${contentOf(source)}\n\`\`\``,
  );
}

function contentOf(source: string): string {
  return source === "packages" ? packageDiagram() : readFileSync(join(root, source), "utf8").trimEnd();
}
