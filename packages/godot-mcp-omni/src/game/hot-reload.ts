import { writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { ChangedFile } from "./changed-files.ts";
import type { Control } from "./control.ts";
import type { Session } from "./debugger/session.ts";
import type { GameLog } from "./game-log.ts";
import type { Stops } from "./stops.ts";

export interface ReloadParts {
  readonly session: Session;
  readonly control: Control;
  readonly stops: Stops;
  readonly log: GameLog;
  readonly folder: string;
}

/** Time limit of the frames in which a game reloads the files. */
const TIMEOUT_MS = 2_000;
const MAX_NAMES = 8;

/** The answer of `engine/game_reload.gd`. */
interface Reloaded {
  readonly unset: readonly string[];
  readonly scenes: readonly SceneReport[];
}

interface SceneReport {
  readonly path: string;
  readonly instances: number;
  readonly set: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly left: readonly string[];
  readonly problem?: string;
}

/** Reloads changed files in a running game; returns one line per file that was reloaded or not. */
export async function hotReload(
  parts: ReloadParts,
  changed: readonly ChangedFile[],
): Promise<readonly string[]> {
  const { session, control, stops, log, folder } = parts;
  const refused = changed.flatMap((file) => reasonAgainst(file) ?? []);
  const files = changed.filter((file) => reasonAgainst(file) === undefined);
  if (files.length === 0) return refused;
  const wait = { timeoutMs: TIMEOUT_MS };
  const begun = await control.ask<{ loaded: readonly string[] }>(
    "reload_begin",
    { files: files.map(({ path }) => path) },
    wait,
  );
  if (!begun.ok) return [...refused, notTaken(files, begun.failure.message)];
  const { loaded } = begun.value;
  const scripts = loaded.filter((path) => path.endsWith(".gd"));
  const resources = loaded.filter((path) => !path.endsWith(".gd"));
  const errorsBefore = log.errors().next;
  stops.ignoreErrors(true);
  if (scripts.length > 0) session.send("reload_scripts", scripts);
  if (resources.length > 0)
    session.send("scene:reload_cached_files", [{ type: "PackedStringArray", items: resources }]);
  const scenes = files
    .filter(({ path }) => /\.t?scn$/.test(path))
    .map(({ path, before }, index) => ({ path, before: written(folder, index, before) }));
  const ended = await control.ask<Reloaded>("reload_end", { scenes }, wait);
  stops.ignoreErrors(false);
  for (const { before } of scenes) if (before !== "") await rm(before, { force: true });
  // A game has the uids from its start; the files have paths as well.
  log.forgetErrors(errorsBefore, ({ message }) => message.includes("invalid UID"));
  if (!ended.ok) return [...refused, notTaken(files, ended.failure.message)];
  const broken = log
    .errorsAfter(errorsBefore)
    .filter(({ severity, path }) => severity === "error" && loaded.includes(path));
  const isBroken = (path: string) => broken.some((error) => error.path === path);
  const live = ended.value.scenes.filter(({ instances }) => instances > 0);
  const unread = files
    .map(({ path }) => path)
    .filter((path) => !loaded.includes(path) && !live.some((scene) => scene.path === path));
  const plain = loaded.filter((path) => !isBroken(path) && !live.some((scene) => scene.path === path));
  return [
    ...(plain.length > 0 ? [`reloaded ${listed(plain)}; values are kept.`] : []),
    ...live.map(describeScene),
    ...(unread.length > 0
      ? [`has not loaded ${listed(unread)}, and reads the new content when it does.`]
      : []),
    ...ended.value.unset.map((name) => `the new variable ${name} is null in objects that exist already.`),
    ...broken.map(
      ({ path, line, message }) =>
        `${path} was not reloaded: line ${line}: ${message} Objects that use it keep their values but do nothing until it is fixed.`,
    ),
    ...refused,
  ];
}

/** Undefined if a running game can reload the file. */
function reasonAgainst({ path, isRemoved }: ChangedFile): string | undefined {
  if (isRemoved) return `${path} was removed; the game keeps what it has loaded of it.`;
  if (path === "res://project.godot")
    return `${path} was not reloaded: a game reads settings when it starts. Run it again.`;
  if (path.endsWith(".cs")) return `${path} was not reloaded: C# has to be built. Run the game again.`;
  if (/\.(?:gd|gdshader|gdshaderinc|tscn|scn|tres|res)$/.test(path)) return undefined;
  return `${path} was not reloaded: it has to be imported. Run the game again.`;
}

function describeScene({ path, instances, set, added, removed, left, problem }: SceneReport): string {
  const where = instances === 1 ? "its live instance" : `${instances} live instances`;
  if (problem !== undefined) return `${path}: ${where} stay as they are: ${problem}.`;
  const done = [
    ...(set.length > 0 ? [`set ${listed(set)}`] : []),
    ...(added.length > 0 ? [`added ${listed(added)}`] : []),
    ...(removed.length > 0 ? [`removed ${listed(removed)}`] : []),
  ];
  const what = done.length === 0 ? "nothing to change" : done.join(", ");
  const rest = left.length === 0 ? "" : ` Only in new instances: ${listed(left)}.`;
  return `reloaded ${path}; in ${where}: ${what}.${rest}`;
}

function notTaken(files: readonly ChangedFile[], reason: string): string {
  return `${listed(files.map(({ path }) => path))} not reloaded: ${reason}`;
}

function listed(names: readonly string[]): string {
  const unique = [...new Set(names)];
  const more = unique.length - MAX_NAMES;
  return more > 0 ? `${unique.slice(0, MAX_NAMES).join(", ")} and ${more} more` : unique.join(", ");
}

/** Empty if the old content is not known. */
function written(folder: string, index: number, before: string | undefined): string {
  if (before === undefined) return "";
  const path = join(folder, `before-${process.pid}-${index}.tscn`);
  writeFileSync(path, before);
  return path;
}
