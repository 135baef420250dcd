import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { realGodot } from "./real-godot.ts";

/** What release builds of the Godot of the tests are made of, where it lies beside it. */
export const realTemplate: string | undefined = realGodot && templateBeside(realGodot);

function templateBeside(godot: string): string | undefined {
  const template = join(dirname(godot), "godot-template-release");
  if (existsSync(template)) return template;
  console.warn(`\n!!! SKIPPED: the release build, since there is no ${template}.`);
  return undefined;
}
