import { SettingsText } from "../formats/settings-text.ts";
import { parseVariant } from "../formats/variant.ts";
import type { Problem } from "../operations/results.ts";
import type { Project } from "../project/project.ts";

/** Settings with a file that the project, or a part of it, needs to start. */
const NAMES_A_FILE = /^(?:application\/run\/main_scene|autoload\/.+)$/;

/** The main scene and autoloads of `project.godot` whose file is missing. With `names`, only these settings. */
export async function missingFiles(project: Project, names?: readonly string[]): Promise<Problem[]> {
  const read = await project.readText("res://project.godot");
  const settings = read.ok ? SettingsText.parse(read.value.text) : read;
  if (!read.ok || !settings.ok) return [];
  const problems: Problem[] = [];
  for (const [name, value] of settings.value.entries()) {
    if (!NAMES_A_FILE.test(name) || names?.includes(name) === false) continue;
    const parsed = parseVariant(value);
    // A star marks an autoload as a global name.
    const file = parsed.ok && parsed.value.kind === "string" ? parsed.value.value.replace(/^\*/, "") : "";
    if (!file.startsWith("res://") || (await project.exists(file))) continue;
    const what = name.startsWith("autoload/") ? `The autoload ${name.slice(9)}` : "The main scene";
    const key = name.slice(name.indexOf("/") + 1);
    problems.push({
      path: "res://project.godot",
      line: 1 + read.value.text.split("\n").findIndex((line) => line.startsWith(`${key}=`)),
      severity: "error",
      message: `${what} is ${file}, which is missing.`,
    });
  }
  return problems;
}
