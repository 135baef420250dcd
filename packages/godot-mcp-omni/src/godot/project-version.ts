import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The Godot that a project was last saved with, such as `4.6`; undefined where `config/features` does not say it. */
function projectVersion(root: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(join(root, "project.godot"), "utf8");
  } catch {
    return undefined;
  }
  const features = /^config\/features\s*=\s*PackedStringArray\(([^)]*)\)/m.exec(text)?.[1];
  return /"(\d+\.\d+)"/.exec(features ?? "")?.[1];
}

/** Why a Godot binary of this version must not save files of a project, or undefined. Patch versions do not matter. */
export function whyTooOld(root: string, version: string): string | undefined {
  const project = projectVersion(root);
  if (project === undefined || !isOlder(version, project)) return undefined;
  return `The project was made with Godot ${project}, and this is Godot ${version}, which would remove what it does not know from the files that it saves.`;
}

function isOlder(version: string, other: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split(".").map(Number);
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}
