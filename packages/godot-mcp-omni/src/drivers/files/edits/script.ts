import { ok } from "@toolpact/outcome";
import { errors } from "../../../errors.ts";
import { textField } from "../../../formats/scene-text.ts";
import { type Variant, writeVariant } from "../../../formats/variant.ts";
import type { SceneEdit } from "../../../operations/scene-edit.ts";
import { scriptLineage } from "../../../scene-model/scene-world.ts";
import type { Edited, PendingChange, SceneEditing } from "../editing/scene-editing.ts";

type SetScript = Extract<SceneEdit, { kind: "script" }>;

/** Attaches a script to a node, or detaches it. */
export function attachScript(editing: SceneEditing, edit: SetScript): Edited<PendingChange> {
  const node = editing.changeable(edit.node);
  if (!node.ok) return node;
  const { type, script: old } = node.value;
  const block = editing.linesOf(node.value);
  const declared = signalsOf(editing, old);
  if (edit.script === null) {
    if (node.value.inheritedProperties.has("script")) editing.scene.set(block, "script", "null");
    else editing.scene.unset(block, "script");
  } else {
    const reference = fitScript(editing, type, edit.script);
    if (!reference.ok) return reference;
    editing.scene.set(block, "script", writeVariant(reference.value));
  }
  editing.changed();
  dropConnections(
    editing,
    node.value.path,
    declared.filter((signal) => !signalsOf(editing, edit.script).includes(signal)),
  );
  const scriptJson = (path: string | null | undefined) =>
    path == null ? null : { resource: "GDScript", path };
  return ok({
    kind: "script",
    block,
    ...(type !== undefined && { type }),
    properties: [{ name: "script", type: "Script", old: scriptJson(old), new: scriptJson(edit.script) }],
  });
}

/** Removes connections of signals that the script declared. */
function dropConnections(editing: SceneEditing, path: string, signals: readonly string[]): void {
  for (const block of editing.scene.tagged("connection")) {
    const signal = textField(block, "signal") ?? "";
    if (textField(block, "from") !== path || !signals.includes(signal)) continue;
    editing.scene.remove(block);
    editing.warnings.push(`The connection of "${signal}" went with the script that declares it.`);
  }
}

function signalsOf({ world }: SceneEditing, script: string | null | undefined): readonly string[] {
  return scriptLineage(script ?? undefined, world).flatMap(({ signals }) => signals);
}

/** A reference to a script that a node of this class can have. */
export function fitScript(editing: SceneEditing, type: string | undefined, script: string): Edited<Variant> {
  const known = editing.world.resource(script);
  if (known === undefined)
    return errors.fail("E_NOT_FOUND", `There is no file ${script.slice(0, 200)}.`, {
      details: { path: script },
    });
  if (known.type !== "GDScript" && known.type !== "CSharpScript")
    return errors.fail("E_SCHEMA_VALIDATION", `${script} is a ${known.type}, not a Script.`);
  const base = nativeBase(editing, script);
  if (base !== undefined && type !== undefined && !editing.world.classes.inherits(type, base))
    return errors.fail("E_SCHEMA_VALIDATION", `${script} extends ${base} and does not fit a ${type}.`, {
      details: { expected: base, given: type },
    });
  return editing.resources.external(script);
}

/** The engine class that a script extends, directly or through others. */
export function nativeBase(editing: SceneEditing, script: string): string | undefined {
  const base = scriptLineage(script, editing.world).at(-1)?.extends;
  return base !== undefined && editing.world.classes.has(base) ? base : undefined;
}
