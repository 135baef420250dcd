import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { realGodot } from "./real-godot.ts";

/** The release template next to the Godot of the tests, if there is one. */
export const realTemplate: string | undefined = realGodot && templateBeside(realGodot);

function templateBeside(godot: string): string | undefined {
  const template = join(dirname(godot), "godot-template-release");
  if (existsSync(template)) return template;
  console.warn(`\n!!! SKIPPED: the release build, since there is no ${template}.`);
  return undefined;
}
