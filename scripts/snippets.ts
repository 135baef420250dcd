import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./packages.ts";

const SNIPPET = /<!-- from (\S+) -->\n```(\w+)\n[\s\S]*?```/g;

/** A page whose code blocks marked `<!-- from FILE -->` hold what the file holds, so that they are known to run. */
export function withSnippets(page: string): string {
  return readFileSync(join(root, page), "utf8").replace(
    SNIPPET,
    (_block, file: string, language: string) =>
      `<!-- from ${file} -->\n\`\`\`${language}\n${readFileSync(join(root, file), "utf8").trimEnd()}\n\`\`\``,
  );
}
