import { ok } from "@toolpact/outcome";
import { errors } from "../../../errors.ts";
import { valueIn } from "../../../formats/scene-text.ts";
import { type Entry, parseVariant, writeVariant } from "../../../formats/variant.ts";
import { cannotDo } from "../../../operations/driver.ts";
import type { SceneEdit } from "../../../operations/scene-edit.ts";
import { nodeAt } from "../../../scene-model/scene-tree.ts";
import type { Edited, PendingChange, SceneEditing } from "../editing/scene-editing.ts";
import { internalResource } from "../editing/set-properties.ts";

type Animate = Extract<SceneEdit, { kind: "animate" }>;

/** Puts an animation into a player's library. The library is rewritten, because it must come after its content. */
export function writeAnimation(editing: SceneEditing, edit: Animate): Edited<PendingChange> {
  const found = editing.changeable(edit.player);
  if (!found.ok) return found;
  const { type, path } = found.value;
  if (type !== undefined && !editing.world.classes.inherits(type, "AnimationPlayer"))
    return errors.fail("E_SCHEMA_VALIDATION", `"${path}" is a ${type}, not an AnimationPlayer.`);
  const block = editing.linesOf(found.value);
  const node = nodeAt(editing.root, path) ?? found.value;
  const property = `libraries/${edit.library ?? ""}`;
  const held = node.properties.get(property);
  if (node.properties.has("libraries") || (held !== undefined && held.file !== editing.scene))
    return cannotDo(
      "files",
      `The libraries of "${path}" are those of another scene, or of an older Godot.`,
      "Set GODOT_PATH to let the engine do it.",
    );
  const context = editing.contextFor(node);
  const old = context.resources.internalBlock(held?.text);
  if (held !== undefined && held.text !== "null" && old === undefined) return ownFile(edit.library ?? "");
  const data = parseVariant((old && valueIn(old, "_data")) ?? "{}");
  if (!data.ok) return data;
  const kept = data.value.kind === "dictionary" ? data.value.entries : [];
  const made = internalResource("Animation", edit.properties, context);
  if (!made.ok) return made;
  const entries: Entry[] = [
    ...kept.filter(([key]) => nameOf(key) !== edit.animation),
    [{ kind: "name", value: edit.animation }, made.value],
  ];
  entries.sort(([one], [other]) => (nameOf(one) < nameOf(other) ? -1 : 1));
  const library = context.resources.internal("AnimationLibrary");
  editing.scene.set(library.block, "_data", writeVariant({ kind: "dictionary", entries }));
  editing.scene.set(block, property, writeVariant(library.variant));
  editing.changed();
  return ok({ kind: "animate", block });
}

function ownFile(library: string) {
  return errors.fail("E_UNSUPPORTED", `The library "${library}" is a separate file.`, {
    suggestedFix: "Name another library, or edit that file with godot_asset resource.edit.",
  });
}

function nameOf(key: Entry[0]): string {
  return key.kind === "name" || key.kind === "string" ? key.value : "";
}
