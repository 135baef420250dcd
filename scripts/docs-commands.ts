import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./packages.ts";

/** A command of a documentation page, without its comment. */
export interface ShownCommand {
  readonly page: string;
  readonly words: readonly string[];
}

const PAGES = [
  ...["README.md", "AGENTS.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...["docs/*.md", "docs/decisions/*.md", "packages/*/README.md"],
];

/** Every command in a block for a shell, and those in sentences that name their program. */
export function shownCommands(): readonly ShownCommand[] {
  return PAGES.flatMap((pattern) => globSync(pattern, { cwd: root })).flatMap((page) => {
    const text = readFileSync(join(root, page), "utf8");
    const blocks = [...text.matchAll(/^ *```(?:sh|console)\n(.*?)^ *```/gms)]
      .flatMap(([, block = ""]) => block.split("\n"))
      .flatMap((line) => line.replace(/(?:^|\s+)#.*$/, "").split(/ && | \| /));
    // Headings name commands without their arguments.
    const inline = [...text.replace(/^#.*$/gm, "").matchAll(INLINE)].flatMap(([, line = ""]) =>
      line.split(" && "),
    );
    return [...blocks, ...inline]
      .map((line) =>
        line
          .trim()
          .replace(/^\$ /, "")
          .replace(/ > .*$/, ""),
      )
      .filter((line) => line !== "" && !/[…[]/.test(line))
      .map((line) => ({ page, words: wordsOf(line) }));
  });
}

const INLINE = /`((?:npx |npm run |toolpact |godot-mcp-omni |x-sandbox |x-api )[^`\n]+)`/g;

/** Without quotes and leading settings of the environment. */
function wordsOf(line: string): readonly string[] {
  const words = line.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [];
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  return words.slice(first).map((word) => word.replace(/^(["'])(.*)\1$/s, "$2"));
}
