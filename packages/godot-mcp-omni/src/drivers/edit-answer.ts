import type { OkNotes } from "@toolpact/contract";
import { ok, type Success } from "@toolpact/contract/outcome";
import { errors } from "../errors.ts";
import type { ProjectPath } from "../project/project-path.ts";
import type { GodotDriver } from "./driver.ts";
import {
  isNothing,
  type SceneDifference,
  type Scope,
  told as shortened,
  sideEffects,
} from "./files/scene-difference.ts";
import type { SceneChange, SceneEdit, SceneEdited } from "./scene-edit.ts";

/** Edits that reached the disk. */
export interface DoneEdits {
  readonly path: ProjectPath;
  readonly changes: readonly SceneChange[];
  readonly difference: SceneDifference;
  /** Length of the file. */
  readonly bytes: number;
  /** The Godot that did them; undefined for the files alone. */
  readonly driver?: GodotDriver;
  readonly warnings: readonly string[];
}

export function doneEdits(edits: DoneEdits): Success<SceneEdited, OkNotes> {
  const { path, changes, difference, bytes, driver } = edits;
  const nothing = isNothing(difference) && path.res.endsWith(".tscn");
  const warnings = [...edits.warnings, ...changes.flatMap(notSaved)];
  return ok(
    { scene: path.res, changes, difference: shortened(difference), saved: true },
    {
      summary: nothing
        ? `Nothing changed in ${path.res}: it was so already.`
        : `${changes.map(inWords).slice(0, 3).join(", ")}${changes.length > 3 ? ` and ${changes.length - 3} more` : ""} in ${path.res}.`,
      execution: driver === undefined ? { mode: "files" } : { mode: driver.mode, godot: driver.version },
      files: [{ kind: "scene", pathAbs: path.absolute, resPath: path.res, bytes }],
      ...(warnings.length > 0 && { warnings }),
    },
  );
}

export function surprised(path: ProjectPath, strange: readonly string[]) {
  return errors.fail(
    "E_INTERNAL",
    `${path.res} came out other than asked for, so it was put back as it was.`,
    {
      details: { path: path.res, surprises: strange.slice(0, 20) },
      suggestedFix: "Report this with the scene; try another mode meanwhile.",
      fixBy: "operator",
    },
  );
}

/** A Godot that saves a scene writes all of it: what came out otherwise elsewhere is told. */
export function alsoWritten(difference: SceneDifference, scope: Scope): string[] {
  const elsewhere = sideEffects(difference, scope);
  if (elsewhere.length === 0) return [];
  const more = elsewhere.length > 5 ? ` and ${elsewhere.length - 5} more` : "";
  return [`Godot also wrote ${elsewhere.slice(0, 5).join(", ")}${more}.`];
}

function notSaved({ node, notSaved: lost = [] }: SceneChange): string[] {
  return lost.length === 0
    ? []
    : [
        `The file does not hold ${lost.join(", ")} of ${node}: a RESET animation sets it when the scene is saved.`,
      ];
}

const WORDS: Readonly<Record<SceneEdit["kind"], string>> = {
  add: "Added",
  instance: "Instanced",
  remove: "Removed",
  rename: "Renamed",
  move: "Moved",
  duplicate: "Duplicated",
  reparent: "Reparented",
  set: "Set",
  script: "Set the script of",
  group: "Set a group of",
  unique_name: "Set the unique name of",
  editable: "Set editable children of",
  connect: "Connected",
  disconnect: "Disconnected",
  tiles: "Set tiles of",
  animation: "Wrote an animation of",
};

function inWords({ kind, node, from, properties }: SceneChange): string {
  const what = kind === "set" && properties ? ` ${properties.map((row) => row.name).join(", ")} of` : "";
  const way = from === undefined || kind === "duplicate" ? "" : ` (was ${from})`;
  return `${WORDS[kind]}${what} ${node}${way}`;
}
