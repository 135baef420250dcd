import { ok } from "@toolpact/outcome";
import { errors, unknownName } from "../../../errors.ts";
import { type Block, type SceneText, textField } from "../../../formats/scene-text.ts";
import { quote, writeVariant } from "../../../formats/variant.ts";
import type { SceneEdit } from "../../../operations/scene-edit.ts";
import { CONNECTION_FLAGS, connectionsIn, PERSIST } from "../../../scene-model/connections.ts";
import { plainValuesOnly, variantOf } from "../../../scene-model/json-to-variant.ts";
import { isWithin, nodeAt, resolveTree, type SceneNode } from "../../../scene-model/scene-tree.ts";
import { type SceneWorld, scriptLineage } from "../../../scene-model/scene-world.ts";
import type { Edited, PendingChange, SceneEditing } from "../editing/scene-editing.ts";

type Connect = Extract<SceneEdit, { kind: "connect" }>;
type Disconnect = Extract<SceneEdit, { kind: "disconnect" }>;

export function connectSignal(editing: SceneEditing, edit: Connect): Edited<PendingChange> {
  const ends = endsOf(editing, edit);
  if (!ends.ok) return ends;
  const { node, to } = ends.value;
  const refused = checkSignal(editing, node, edit.signal) ?? checkMethod(editing, to, edit.method);
  if (refused !== undefined) return refused;
  if (isConnected(editing.scene, editing.world, node, to, edit))
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `"${edit.signal}" of "${node.path}" is connected to "${edit.method}" of "${to.path}" already.`,
    );
  const flags = (edit.flags ?? []).reduce((sum, flag) => sum | CONNECTION_FLAGS[flag], PERSIST);
  const binds = variantOf(edit.binds ?? [], "Array", BINDS);
  if (!binds.ok) return binds;
  const { scene } = editing;
  scene.insert(
    scene.tagged("connection").at(-1) ?? scene.tagged("node").at(-1),
    [
      `connection signal=${quote(edit.signal)} from=${quote(node.path)} to=${quote(to.path)} method=${quote(edit.method)}`,
      ...(flags === PERSIST ? [] : [`flags=${flags}`]),
      ...(edit.unbinds ? [`unbinds=${edit.unbinds}`] : []),
      ...(edit.binds?.length ? [`binds= ${writeVariant(binds.value)}`] : []),
    ].join(" "),
  );
  return ok({ kind: "connect", node: node.path });
}

export function disconnectSignal(editing: SceneEditing, edit: Disconnect): Edited<PendingChange> {
  const ends = endsOf(editing, edit);
  if (!ends.ok) return ends;
  const { node, to } = ends.value;
  const block = find(editing.scene, node, to, edit);
  if (block === undefined)
    return errors.fail(
      "E_NOT_FOUND",
      `"${edit.signal}" of "${node.path}" is not connected to "${edit.method}" of "${to.path}" in this scene's file.`,
      {
        details: {
          connections: connectionsIn(editing.scene)
            .filter((row) => row.node === node.path)
            .map((row) => ({ ...row })),
        },
      },
    );
  editing.scene.remove(block);
  return ok({ kind: "disconnect", node: node.path });
}

function endsOf(
  editing: SceneEditing,
  edit: Connect | Disconnect,
): Edited<{ node: SceneNode; to: SceneNode }> {
  const node = editing.changeable(edit.node);
  if (!node.ok) return node;
  const to = editing.changeable(edit.to);
  return to.ok ? ok({ node: node.value, to: to.value }) : to;
}

function find(
  scene: SceneText,
  node: SceneNode,
  to: SceneNode,
  edit: Connect | Disconnect,
): Block | undefined {
  return scene
    .tagged("connection")
    .find(
      (block) =>
        textField(block, "from") === node.path &&
        textField(block, "to") === to.path &&
        textField(block, "signal") === edit.signal &&
        textField(block, "method") === edit.method,
    );
}

/** Whether the scene has a connection: in its file, in its base's, or in that of an instance that holds both nodes. */
function isConnected(
  scene: SceneText,
  world: SceneWorld,
  node: SceneNode,
  to: SceneNode,
  edit: Connect,
): boolean {
  if (find(scene, node, to, edit) !== undefined) return true;
  for (let holder: SceneNode | undefined = node; holder !== undefined; holder = holder.parent) {
    const source = holder.instance === undefined ? undefined : world.scene(holder.instance);
    const inner = source === undefined || source === scene ? undefined : resolveTree(source, world);
    if (source === undefined || inner === undefined || !isWithin(to.path, holder.path)) continue;
    const [from, target] = [node, to].map(({ path }) => nodeAt(inner, pathFrom(holder.path, path)));
    if (from !== undefined && target !== undefined && isConnected(source, world, from, target, edit))
      return true;
  }
  return false;
}

function pathFrom(ancestor: string, path: string): string {
  if (path === ancestor) return ".";
  return ancestor === "." ? path : path.slice(ancestor.length + 1);
}

function checkSignal(editing: SceneEditing, node: SceneNode, signal: string) {
  const declared = declaredIn(editing, node, "signals");
  const known = [
    ...declared.names,
    ...(node.type === undefined ? [] : editing.world.classes.signals(node.type)),
  ];
  if (known.includes(signal)) return undefined;
  if (declared.complete && node.type !== undefined)
    return unknownName(
      "E_NOT_FOUND",
      `"${node.path}" has no signal "${signal.slice(0, 80)}".`,
      signal,
      known,
    );
  editing.warnings.push(
    `Whether "${node.path}" has the signal "${signal}" could not be checked without Godot.`,
  );
  return undefined;
}

/** Reports a missing method only for a node with a script: methods of engine classes are not in the table. */
function checkMethod(editing: SceneEditing, to: SceneNode, method: string) {
  const declared = declaredIn(editing, to, "methods");
  if (declared.names.includes(method)) return undefined;
  if (declared.complete && to.script !== undefined && method.startsWith("_"))
    return unknownName(
      "E_NOT_FOUND",
      `"${to.path}" has no method "${method.slice(0, 80)}".`,
      method,
      declared.names,
    );
  editing.warnings.push(
    `Whether "${to.path}" has the method "${method}" could not be checked without Godot.`,
  );
  return undefined;
}

function declaredIn(
  { world }: SceneEditing,
  node: SceneNode,
  what: "signals" | "methods",
): { names: string[]; complete: boolean } {
  if (node.script === undefined)
    return {
      names: [],
      complete: !node.opaque && (node.properties.get("script")?.text ?? "null") === "null",
    };
  const lineage = scriptLineage(node.script, world);
  return {
    names: lineage.flatMap((script) => script[what]),
    complete: world.classes.has(lineage.at(-1)?.extends ?? ""),
  };
}

const BINDS = plainValuesOnly(() =>
  errors.fail("E_UNSUPPORTED", "A resource or node cannot be bound to a signal in a file.", {
    suggestedFix: "Set GODOT_PATH to let the engine do it.",
  }),
);
