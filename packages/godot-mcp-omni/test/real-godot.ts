import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fetchedGodot } from "./fetched-godot.ts";

/** The Godot that tests run on. */
export const realGodot: string | undefined = await fetchedGodot({
  variable: "GODOT_PATH",
  folder: "godot-template",
  parts: ["template"],
});

/** What its release builds are made of, where it lies beside it. */
export const realTemplate: string | undefined = templateBeside(realGodot);

function templateBeside(godot: string | undefined): string | undefined {
  const template = join(dirname(godot ?? ""), "godot-template-release");
  return existsSync(template) ? template : undefined;
}
