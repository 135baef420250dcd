import type { JsonObject } from "@toolpact/contract";
import type { OkNotes } from "@toolpact/contract/internal";
import { ok, type Success } from "@toolpact/outcome";
import { type DriverContext, type SceneRequest, scenePath } from "../drivers/ask.ts";
import { type CommittedEdit, commitEdit } from "../drivers/commit/commit-edit.ts";
import { isNothing, type SceneDifference, shortened } from "../drivers/read-back/scene-difference.ts";
import { errors, type Result } from "../errors.ts";
import { isOlder, projectVersion } from "../godot/binary.ts";
import { NEWER_CLASSES } from "../godot/class-since.ts";
import type { SceneChange, SceneEdited } from "../operations/results.ts";
import { EDITS, type SceneEdit } from "../operations/scene-edit.ts";
import type { Project } from "../project/project.ts";
import type { ProjectPath } from "../project/project-path.ts";
import { mentionedPaths } from "../scene-model/scene-world.ts";
import { danglingTiles } from "../scene-model/undrawn-tiles.ts";
import { type UsedNode, usesOfMovedNodes } from "../scene-model/used-nodes.ts";
import { withPresets } from "../scene-model/with-presets.ts";
import { withUniqueNames } from "../scene-model/with-unique-names.ts";
import { editNotes, type ToolAnswer } from "./product.ts";

/**
 * Edits a scene with the best driver that can do it. Returns `scene`, `changes`, `saved`, and `difference`: the
 * changes in the file on the disk.
 */
export async function editSceneFile(
  context: DriverContext,
  request: SceneRequest,
  label: string,
  edits: readonly SceneEdit[],
): Promise<ToolAnswer<SceneEdited>> {
  const whole = withPresets(edits);
  if (!whole.ok) return whole;
  const safe = await safeEdits(context.project, withUniqueNames(whole.value));
  if (!safe.ok) return safe;
  return context.workspace.use(
    request.mode,
    context.signal,
    async (driver, warnings): Promise<ToolAnswer<SceneEdited>> => {
      const path = await scenePath(context, driver, request.scene);
      if (!path.ok) return path;
      const refused = newerClass(safe.value, driver.version ?? projectVersion(context.project.root));
      if (refused !== undefined) return refused;
      const edit = {
        operation: "scene.edit" as const,
        params: { scene: path.value.res, edits: safe.value, label },
        path: path.value,
        label,
      };
      const committed = await commitEdit(context, driver, edit, warnings);
      if (!committed.ok) return committed;
      return sceneEdited(
        path.value,
        committed.value,
        await danglingAfter(context.project, path.value, committed.value.result.changes, safe.value),
      );
    },
    { progress: context.progress },
  );
}

/** The refusal of a node whose class the project's Godot version lacks. */
function newerClass(edits: readonly SceneEdit[], version: string | undefined) {
  for (const edit of edits) {
    const since = edit.kind === "add" ? NEWER_CLASSES.get(edit.type) : undefined;
    if (edit.kind !== "add" || since === undefined || version === undefined || !isOlder(version, since))
      continue;
    return errors.fail(
      "E_UNSUPPORTED",
      `${edit.type} is in Godot ${since} and later, and this project is of Godot ${version}.`,
      { suggestedFix: "Open the project with a newer Godot once, which updates config/features." },
    );
  }
  return undefined;
}

/** The edits with all files as `res://` paths, if tools may access each of them. */
async function safeEdits(
  project: Project,
  edits: readonly SceneEdit[],
): Promise<Result<readonly SceneEdit[]>> {
  // Edits are JSON validated by a schema.
  for (const mentioned of mentionedPaths(edits as unknown as JsonObject)) {
    const place = await project.resolve(mentioned);
    if (!place.ok) return place;
  }
  const safe: SceneEdit[] = [];
  for (const edit of edits) {
    const member = edit.kind === "instance" ? "source" : "script";
    const file = edit.kind === "instance" ? edit.source : "script" in edit ? edit.script : undefined;
    const place = typeof file === "string" ? await project.resolve(file) : undefined;
    if (place !== undefined && !place.ok) return place;
    safe.push(place === undefined ? edit : { ...edit, [member]: place.value.res });
  }
  return ok(safe);
}

/** The difference of a scene that is not text. */
const UNKNOWN: SceneDifference = {
  added: [],
  removed: [],
  reset: [],
  changed: [],
  connected: [],
  disconnected: [],
};

function sceneEdited(
  path: ProjectPath,
  { driver, result, difference = UNKNOWN, bytes, warnings: found }: CommittedEdit<"scene.edit">,
  { usedBy, tiles }: Dangling,
): Success<SceneEdited, OkNotes> {
  const { changes } = result;
  const nothing = isNothing(difference) && path.res.endsWith(".tscn");
  const more = changes.length > 3 ? ` and ${changes.length - 3} more` : "";
  const warnings = [...found, ...changes.flatMap(notSaved), ...tiles, ...usedByWarning(usedBy)];
  return ok(
    {
      scene: path.res,
      changes,
      difference: shortened(difference),
      ...(usedBy.length > 0 && { usedBy: usedBy.slice(0, MAX_USES) }),
      saved: true,
    },
    {
      summary: nothing
        ? `Nothing changed in ${path.res}: it was so already.`
        : `${changes.map(phrase).slice(0, 3).join(", ")}${more} in ${path.res}.`,
      ...editNotes("scene", path, { driver, warnings, bytes }),
    },
  );
}

/** References that an edit broke. */
interface Dangling {
  readonly usedBy: readonly UsedNode[];
  /** Warnings of tiles whose source or tile is not in the TileSet. */
  readonly tiles: readonly string[];
}

async function danglingAfter(
  project: Project,
  path: ProjectPath,
  changes: readonly SceneChange[],
  edits: readonly SceneEdit[],
): Promise<Dangling> {
  const painted = edits.flatMap((edit) => (edit.kind === "tiles" ? [edit] : []));
  return {
    usedBy: changes.some(movesNode) ? await usesOfMovedNodes(project, path.res, changes) : [],
    tiles: painted.length === 0 ? [] : await danglingTiles(project, path, painted),
  };
}

/** True if paths to the node have become invalid. */
function movesNode({ kind }: SceneChange): boolean {
  return kind === "remove" || kind === "rename" || kind === "reparent";
}

const MAX_USES = 50;

function usedByWarning(usedBy: readonly UsedNode[]): string[] {
  if (usedBy.length === 0) return [];
  const places = usedBy.slice(0, 5).map((use) => `${use.path}:${use.line}`);
  const more = usedBy.length > 5 ? ` and ${usedBy.length - 5} more` : "";
  const fix = usedBy.some((use) => use.replace !== undefined)
    ? " To fix them, call godot_code file.edit with path, find and replace of each in usedBy."
    : "";
  return [`Scripts still use the old path: ${places.join(", ")}${more}.${fix}`];
}

function notSaved({ node, notSaved: lost = [] }: SceneChange): string[] {
  return lost.length === 0
    ? []
    : [
        `The file does not hold ${lost.join(", ")} of ${node}: a RESET animation sets it when the scene is saved.`,
      ];
}

function phrase({ kind, node, from, properties }: SceneChange): string {
  const what = kind === "set" && properties ? ` ${properties.map((row) => row.name).join(", ")} of` : "";
  const origin = from === undefined || kind === "duplicate" ? "" : ` (was ${from})`;
  return `${EDITS[kind].done}${what} ${node}${origin}`;
}
