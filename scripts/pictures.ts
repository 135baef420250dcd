import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./packages.ts";
import { godotFirstRun, tuitbotFirstRun } from "./pictures/first-run.ts";
import { tuitbotApproval } from "./pictures/tuitbot-approval.ts";

/**
 * Pictures of real runs, for the README files: `node --conditions=toolpact-source scripts/pictures.ts`. They are made
 * by hand when what they show changes, since no two runs are alike to the letter.
 */
const pictures: Readonly<Record<string, () => Promise<string>>> = {
  "docs/pictures/tuitbot-approval.svg": tuitbotApproval,
  "docs/pictures/tuitbot-first-run.svg": tuitbotFirstRun,
  "docs/pictures/godot-first-run.svg": godotFirstRun,
};

for (const [file, picture] of Object.entries(pictures)) {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, await picture());
  console.log(`wrote ${file}`);
}
