import { SettingsText } from "../formats/settings-text.ts";
import { parseVariant } from "../formats/variant.ts";
import type { Project } from "../project/project.ts";

/** What a build starts with, and a play that names no scene: a path or a `uid://`. */
export async function mainScene(project: Project): Promise<string | undefined> {
  const settings = SettingsText.parse((await project.textOf("res://project.godot")) ?? "");
  const held = settings.ok ? settings.value.get("application/run/main_scene") : undefined;
  const scene = held === undefined ? undefined : parseVariant(held);
  if (!scene?.ok || scene.value.kind !== "string") return undefined;
  return scene.value.value === "" ? undefined : scene.value.value;
}
