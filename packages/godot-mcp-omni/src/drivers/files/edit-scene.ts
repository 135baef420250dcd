import { ok } from "@toolpact/outcome";
import type { SceneText } from "../../formats/scene-text.ts";
import type { Steps } from "../../formats/slices.ts";
import { cannotDo } from "../../operations/driver.ts";
import type { SceneChange } from "../../operations/results.ts";
import type { SceneEdit } from "../../operations/scene-edit.ts";
import { blockPath } from "../../scene-model/scene-tree.ts";
import type { SceneWorld } from "../../scene-model/scene-world.ts";
import { type Edited, noRoot, type PendingChange, SceneEditing } from "./editing/scene-editing.ts";
import { countLoadSteps, pruningResources } from "./editing/scene-resources.ts";
import { addNode, instanceScene } from "./edits/add.ts";
import { writeAnimation } from "./edits/animate.ts";
import { connectSignal, disconnectSignal } from "./edits/connect.ts";
import { duplicateNode } from "./edits/duplicate.ts";
import { moveNode, reparentNode } from "./edits/place.ts";
import { removeNode, renameNode } from "./edits/remove.ts";
import { attachScript } from "./edits/script.ts";
import { setEditable, setGroup, setNode, setUniqueName } from "./edits/set.ts";
import { setTiles } from "./edits/tiles.ts";

/** A scene after its edits. */
export interface EditedScene {
  readonly scene: SceneText;
  readonly changes: readonly SceneChange[];
  readonly warnings: readonly string[];
}

/** Applies all edits or none to a copy of the text, as the engine would, in steps. */
export function* editingScene(
  res: string,
  before: SceneText,
  edits: readonly SceneEdit[],
  world: SceneWorld,
  random: () => number,
): Steps<Edited<EditedScene>> {
  const scene = yield* before.cloning();
  const editing = new SceneEditing(res, scene, world, random);
  if (!(yield* editing.resolving())) return noRoot(res);
  const drafts: PendingChange[] = [];
  for (const [index, edit] of edits.entries()) {
    yield;
    yield* editing.resolving();
    const draft = yield* apply(editing, edit);
    if (!draft.ok) {
      const place = edits.length > 1 ? `Edit ${index + 1}: ` : "";
      return {
        ok: false,
        failure: {
          ...draft.failure,
          message: `${place}${draft.failure.message}`,
          details: { ...draft.failure.details, edit: index },
        },
      };
    }
    drafts.push(draft.value);
  }
  if (edits.some(({ kind }) => DROPS_REFERENCES.has(kind))) yield* pruningResources(scene, before);
  countLoadSteps(scene, before);
  const changes = drafts.map(({ block, node, ...change }) => ({
    ...change,
    node: block === undefined ? node : blockPath(block),
  }));
  return ok({ scene, changes, warnings: editing.warnings });
}

/** After any other edit, every resource that was referred to still is. */
const DROPS_REFERENCES = new Set<SceneEdit["kind"]>(["remove", "set", "script", "editable", "animate"]);

function* apply(editing: SceneEditing, edit: SceneEdit): Steps<Edited<PendingChange>> {
  switch (edit.kind) {
    case "add":
      return yield* addNode(editing, edit);
    case "instance":
      return yield* instanceScene(editing, edit);
    case "remove":
      return yield* removeNode(editing, edit);
    case "rename":
      return yield* renameNode(editing, edit);
    case "move":
      return yield* moveNode(editing, edit);
    case "duplicate":
      return yield* duplicateNode(editing, edit);
    case "reparent":
      return yield* reparentNode(editing, edit);
    case "set":
      return setNode(editing, edit);
    case "script":
      return attachScript(editing, edit);
    case "group":
      return setGroup(editing, edit);
    case "unique_name":
      return setUniqueName(editing, edit);
    case "editable":
      return setEditable(editing, edit);
    case "connect":
      return connectSignal(editing, edit);
    case "disconnect":
      return disconnectSignal(editing, edit);
    case "tiles":
      return setTiles(editing, edit);
    case "animation":
      return cannotDo(
        "files",
        "Writing animations needs Godot.",
        "Set GODOT_PATH, so that the engine can do it.",
      );
    case "animate":
      return writeAnimation(editing, edit);
    case "bake":
      return cannotDo(
        "files",
        "Baking navigation needs Godot.",
        "Set GODOT_PATH, so that the engine can do it.",
      );
  }
}
