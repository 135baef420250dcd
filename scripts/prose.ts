import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./packages.ts";

/** Each may become rarer, and none more frequent. */
export const HABITS = {
  "comment that starts with What, Of or Where":
    /^[ \t]*(?:\/\/|\/\*\*|##|\*) *(?:What|Whatever|Whoever|Whom|Of|Where)\b/gmu,
  "name with MOST_ or LONGEST_": /\b(?:MOST|LONGEST)_[A-Z]/gu,
  told: /\btold\b/giu,
  whoever: /\bwho(?:ever|soever)\b/giu,
  mend: /\bmend(?:s|ed|ing)?\b/giu,
  beside: /\bbeside\b/giu,
  "so that": /\bso that\b/giu,
  "the like": /\bthe like\b/giu,
  "stands on": /\bstands? on\b/giu,
  "of its own": /\bof (?:its|their) own\b/giu,
  film: /\bfilms?\b/giu,
  "in doubt": /\bin doubt\b/giu,
  "comes to": /\b(?:comes|come|came) to\b/giu,
  defect: /\bdefects?\b/giu,
  "a Godot":
    /\b(?:a|the) Godot\b(?! (?:\d|server|project|process|binary|editor|version|README|game|command|engine))/giu,
  alive: /\balive\b/giu,
  "British spelling":
    /\b\w*(?:colour|behaviour|neighbour|catalogue|initialis|recognis|organis|serialis|optimis)\w*/giu,
} satisfies Readonly<Record<string, RegExp>>;

export type Habit = keyof typeof HABITS;

export interface Place {
  readonly file: string;
  readonly line: number;
}

/** Generated files and strangers' texts do not count. */
export function placesOf(habit: Habit): readonly Place[] {
  return proseFiles().flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return [...text.matchAll(HABITS[habit])].map(({ index }) => ({
      file,
      line: text.slice(0, index).split("\n").length,
    }));
  });
}

function proseFiles(): readonly string[] {
  const tracked = execFileSync("git", ["ls-files", "-z", "*.ts", "*.tsx", "*.gd", "*.md"], {
    cwd: root,
    encoding: "utf8",
  });
  return tracked.split("\0").filter((file) => file !== "" && !IGNORED.test(file));
}

/** Generated files, X's API description, and this list of words. */
const IGNORED = /\.gen\.|\/generated\/|openapi|^scripts\/prose/;
