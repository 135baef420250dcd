import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./packages.ts";
import { tuitbotFirstRun } from "./pictures/first-run.ts";
import { hero } from "./pictures/hero.ts";
import { tuitbotApproval } from "./pictures/tuitbot-approval.ts";

/**
 * Takes pictures of real runs for the documentation: `npx node --conditions=toolpact-source scripts/pictures.ts`, with
 * `hero` or another part of a file name to take only those. Runs differ in times and ids, so only the answers in the
 * approval picture are compared with a run, by `pictures/approval-picture.test.ts`.
 */
const pictures: Readonly<Record<string, () => Promise<string | Buffer>>> = {
  "docs/pictures/hero.webp": hero,
  "docs/pictures/tuitbot-approval.svg": tuitbotApproval,
  "docs/pictures/tuitbot-first-run.svg": tuitbotFirstRun,
};

const [only = ""] = process.argv.slice(2);
for (const [file, picture] of Object.entries(pictures).filter(([name]) => name.includes(only))) {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, await picture());
  console.log(`wrote ${file}`);
}
