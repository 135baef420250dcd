import type { JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { unknownName } from "../../errors.ts";
import type { Steps } from "../../formats/document.ts";
import { SceneText } from "../../formats/scene-text.ts";
import type { ClassProperty, ClassTable } from "../../godot/class-table.ts";
import type { ParamsOf, ResultOf } from "../../operations/operations.ts";
import type {
  FoundNode,
  Inspection,
  PropertyInfo,
  SceneTree,
  SignalInfo,
  TreeNode,
} from "../../operations/results.ts";
import type { SignalConnection } from "../../operations/scene-edit.ts";
import { connectionsIn } from "../../scene-model/connections.ts";
import { defaultJson, exportsOf, isMade } from "../../scene-model/known-properties.ts";
import { isUnique, isVisible, type SceneNode, visible } from "../../scene-model/scene-tree.ts";
import { type SceneWorld, scriptLineage } from "../../scene-model/scene-world.ts";
import { isSpatial, spatialJson, transformOf } from "../../scene-model/transform3d.ts";
import { jsonOfText } from "../../scene-model/variant-to-json.ts";
import { type Edited, SceneEditing } from "./editing/scene-editing.ts";

/** Reads a scene file and answers in the engine's shapes. */
export function readerOf(res: string, scene: SceneText, world: SceneWorld): SceneReader {
  return new SceneReader(res, new SceneEditing(res, scene, world, Math.random), world);
}

const MAX_NODES = 1_000;
const MAX_FOUND = 100;

export class SceneReader {
  private readonly res: string;
  private readonly view: SceneEditing;
  private readonly world: SceneWorld;

  constructor(res: string, view: SceneEditing, world: SceneWorld) {
    this.res = res;
    this.view = view;
    this.world = world;
  }

  resolving(): Steps<boolean> {
    return this.view.resolving();
  }

  tree({ under = ".", depth = 64, limit = MAX_NODES }: ParamsOf<"scene.tree">): Edited<SceneTree> {
    const from = this.view.find(under);
    if (!from.ok) return from;
    const inherits = this.view.root.instance;
    const count = { left: limit, nodes: 0, truncated: false };
    const root = this.branch(from.value, depth, count);
    return ok({
      scene: this.res,
      ...(inherits !== undefined && { inherits }),
      root,
      nodes: count.nodes,
      truncated: count.truncated,
    });
  }

  find({
    name,
    nameContains,
    type,
    group,
    limit = MAX_FOUND,
  }: ParamsOf<"scene.find">): ResultOf<"scene.find"> {
    const found = [...visible(this.view.root)].filter(
      (node) =>
        (name === undefined || node.name === name) &&
        (nameContains === undefined || node.name.toLowerCase().includes(nameContains.toLowerCase())) &&
        (type === undefined || this.isA(node, type)) &&
        (group === undefined || node.groups.includes(group)),
    );
    return {
      scene: this.res,
      nodes: found.slice(0, limit).map((node): FoundNode => {
        const { name: _, children: __, ...marks } = this.marks(node);
        return { node: node.path, ...marks };
      }),
      total: found.length,
    };
  }

  inspect(
    reference: string,
    { fields, all }: { fields?: readonly string[]; all?: boolean },
  ): Edited<Inspection> {
    const found = this.view.find(reference);
    if (!found.ok) return found;
    const node = found.value;
    const known = this.propertiesOf(node);
    const properties: Record<string, JsonObject[string]> = {};
    for (const name of fields ?? []) {
      const property = known.get(name);
      if (property === undefined && !node.properties.has(name) && !isMade(node.type, name, this.world))
        return unknownName(
          "E_SCHEMA_VALIDATION",
          `${this.typeOf(node)} has no property "${name.slice(0, 80)}".`,
          name,
          [...known.keys()],
        );
      properties[name] = this.value(node, name, property);
    }
    if (fields === undefined) {
      const names = all ? new Set([...known.keys(), ...node.properties.keys()]) : node.properties.keys();
      for (const name of names)
        if (name !== "script" && name !== "unique_name_in_owner")
          properties[name] = this.value(node, name, known.get(name));
    }
    const connections = connectionsIn(this.view.scene).filter((row) => row.node === node.path);
    const { name: _, children: __, inherited: ___, unique: ____, ...marks } = this.marks(node);
    return ok({
      scene: this.res,
      node: node.path,
      ...marks,
      ...(connections.length > 0 && { connections }),
      properties,
      defaults: Math.max(0, known.size - Object.keys(properties).length),
    });
  }

  connections(node: string | undefined, signal: string | undefined): Edited<readonly SignalConnection[]> {
    let path: string | undefined;
    if (node !== undefined) {
      const found = this.view.find(node);
      if (!found.ok) return found;
      path = found.value.path;
    }
    return ok(
      connectionsIn(this.view.scene).filter(
        (row) => (path === undefined || row.node === path) && (signal === undefined || row.signal === signal),
      ),
    );
  }

  properties(reference: string): Edited<{ type: string; rows: PropertyInfo[] }> {
    const found = this.view.find(reference);
    if (!found.ok) return found;
    return ok({
      type: this.typeOf(found.value),
      rows: [...this.propertiesOf(found.value).values()].map(propertyInfo),
    });
  }

  signals(reference: string): Edited<{ type: string; rows: SignalInfo[] }> {
    const found = this.view.find(reference);
    if (!found.ok) return found;
    const { type, script } = found.value;
    const own = (script === undefined ? undefined : this.world.script(script)?.signals) ?? [];
    const native = type === undefined ? [] : this.world.classes.signals(type);
    return ok({
      type: this.typeOf(found.value),
      rows: [
        ...own.map((name) => ({ name, from: script ?? "", args: [] })),
        ...native.map((name) => ({ name, from: type ?? "", args: [] })),
      ],
    });
  }

  private branch(
    node: SceneNode,
    depth: number,
    count: { left: number; nodes: number; truncated: boolean },
  ): TreeNode {
    count.left--;
    count.nodes++;
    const children: TreeNode[] = [];
    for (const child of node.children) {
      if (!isVisible(child)) continue;
      if (depth <= 0 || count.left <= 0) {
        count.truncated = true;
        break;
      }
      children.push(this.branch(child, depth - 1, count));
    }
    return { ...this.marks(node), ...(children.length > 0 && { children }) };
  }

  private marks(node: SceneNode): TreeNode {
    const isRoot = node.parent === undefined;
    return {
      name: node.name,
      type: this.typeOf(node),
      ...(node.script !== undefined && { script: node.script }),
      ...(!isRoot && node.instance !== undefined && { instance: node.instance }),
      ...((node.inherited || (isRoot && node.instance !== undefined)) && { inherited: true as const }),
      ...(isUnique(node) && { unique: true as const }),
      ...(node.groups.length > 0 && { groups: [...node.groups].sort() }),
    };
  }

  /** The `class_name` of its script, else the engine class. */
  private typeOf(node: SceneNode): string {
    const lineage = scriptLineage(node.script, this.world);
    return lineage.find(({ className }) => className !== undefined)?.className ?? node.type ?? "Node";
  }

  private isA(node: SceneNode, type: string): boolean {
    return (
      this.typeOf(node) === type || (node.type !== undefined && this.world.classes.inherits(node.type, type))
    );
  }

  private propertiesOf(node: SceneNode): Map<string, ClassProperty> {
    const all = new Map(node.type === undefined ? [] : this.world.classes.properties(node.type));
    for (const [name, property] of exportsOf(node.script, this.world)) all.set(name, property);
    return all;
  }

  private value(node: SceneNode, name: string, property: ClassProperty | undefined) {
    const held = node.properties.get(name);
    const declared = property !== undefined && property.type !== "Variant";
    if (property?.stored === false && isSpatial(name) && this.isA(node, "Node3D")) {
      const transform = transformOf((line) => node.properties.get(line)?.text);
      return transform === undefined ? null : spatialJson(transform, name);
    }
    if (held !== undefined) return jsonOfText(held.text, held.file, declared);
    return property === undefined ? null : defaultJson(property, this.view.scene);
  }
}

export function classProperties(classes: ClassTable, name: string): PropertyInfo[] {
  return [...classes.properties(name).values()].map(propertyInfo);
}

function propertyInfo(property: ClassProperty): PropertyInfo {
  const empty = SceneText.empty("gd_scene format=3");
  return {
    name: property.name,
    type: property.type,
    from: property.from,
    ...(property.choices !== undefined && { hint: [...property.choices.keys()].join(",") }),
    default: defaultJson(property, empty),
    ...(property.readOnly && { readOnly: true as const }),
  };
}
