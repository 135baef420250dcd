import { constants, readdirSync, readFileSync } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { type Clock, systemClock } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import { cacheFolder, type Environment, headlessEnvironment } from "./environment.ts";
import { runProcess } from "./process.ts";
import { usualPlaces } from "./usual-places.ts";

/** A verified Godot 4 binary. */
export interface GodotBinary {
  readonly path: string;
  /** Such as `4.6.3.stable`. */
  readonly version: string;
  /** Whether it supports C#. */
  readonly hasDotNet?: boolean;
  readonly origin: "config" | "GODOT_PATH" | "PATH" | "known place";
}

interface BinarySearch {
  /** From the configuration of the server, not from a tool's arguments. */
  readonly configured?: string | undefined;
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly clock?: Clock;
}

export type BinaryCode = "E_NOT_FOUND" | "E_UNSUPPORTED";

type Found = Result<GodotBinary, BinaryCode>;

/**
 * Finds a Godot 4 binary: the configured one, `GODOT_PATH`, `PATH`, then the usual places. If a configured path is not
 * a Godot binary, that is a failure, and no other place is tried.
 */
export async function findGodot(search: BinarySearch): Promise<Found> {
  if (search.configured !== undefined) return check(search.configured, "config", search);
  const named = search.env.GODOT_PATH;
  if (named === "")
    return errors.fail("E_UNSUPPORTED", "Godot is switched off: GODOT_PATH is empty.", { fixBy: "operator" });
  if (named !== undefined) return check(named, "GODOT_PATH", search);
  const known = usualPlaces(search.env, search.platform).map((path) => [path, "known place"] as const);
  for (const [path, origin] of [...onPath(search), ...known]) {
    if (!(await isExecutable(path))) continue;
    const found = await check(path, origin, search);
    if (found.ok) return found;
  }
  return errors.fail("E_NOT_FOUND", "No Godot 4 was found on this machine.", {
    suggestedFix: "Install Godot 4 and set GODOT_PATH to it, or run `godot-mcp-omni get-godot`.",
    fixBy: "operator",
  });
}

async function check(path: string, origin: GodotBinary["origin"], search: BinarySearch): Promise<Found> {
  if (!(await isExecutable(path))) return notGodot(path, origin, "is not there or may not be started");
  const home = join(cacheFolder(search.env, search.platform), "home");
  const run = await runProcess(path, {
    args: ["--version"],
    env: headlessEnvironment(search.env, home),
    timeoutMs: 15_000,
    clock: search.clock ?? systemClock,
  });
  if (!run.ok) return notGodot(path, origin, "does not answer");
  const line = run.value.output.find((each) => godotVersion(each) !== undefined) ?? "";
  const version = godotVersion(line);
  if (version === undefined) return notGodot(path, origin, "does not answer as Godot");
  if (!version.startsWith("4.")) return notGodot(path, origin, `is Godot ${version}; Godot 4 is needed`);
  return ok({ path, version, origin, hasDotNet: /\.mono\b/.test(line) });
}

/** Whether a project has C# code: Godot creates this file with the first script. */
export function usesCSharp(project: string): boolean {
  return readdirSync(project).some((file) => file.endsWith(".csproj"));
}

/** The warning for a C# project if the Godot binary does not support C#. */
export function withoutDotNet({ version, hasDotNet }: GodotBinary, project: string): string | undefined {
  if (hasDotNet !== false || !usesCSharp(project)) return undefined;
  return `The project uses C#, and Godot ${version} has no .NET: its C# scripts do not run, and scenes with them are edited as text.`;
}

/** Extracts `4.6.3.stable` from a line such as `4.6.3.stable.official.0a1b2c3`. */
export function godotVersion(line: string): string | undefined {
  return /^(\d+\.\d+(?:\.\d+)?\.(?:stable|rc\d*|beta\d*|alpha\d*|dev\d*))\b/.exec(line)?.[1];
}

function notGodot(path: string, origin: GodotBinary["origin"], why: string): Found {
  return errors.fail("E_NOT_FOUND", `The Godot named by ${origin}, ${path}, ${why}.`, {
    suggestedFix: "Name a Godot 4 binary: --godot FILE, or GODOT_PATH.",
    fixBy: "operator",
    details: { path, origin },
  });
}

function onPath({ env, platform }: BinarySearch): [string, GodotBinary["origin"]][] {
  const names =
    platform === "win32"
      ? ["godot_console.exe", "godot.exe", "godot4.exe"]
      : ["godot", "godot4", "godot-mono"];
  return searchFolders(env).flatMap((folder) =>
    names.map((name): [string, "PATH"] => [join(folder, name), "PATH"]),
  );
}

/** The folders to search for programs. */
export function searchFolders(env: Environment): readonly string[] {
  return (env.PATH ?? env.Path ?? "").split(delimiter).filter((folder) => folder !== "");
}

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The Godot version that last saved a project, such as `4.6`; undefined if `config/features` does not contain it. */
export function projectVersion(root: string): string | undefined {
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

export function isOlder(version: string, other: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split(".").map(Number);
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}
