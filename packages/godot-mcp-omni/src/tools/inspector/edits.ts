import * as z from "zod";
import { sceneEdited } from "../../operations/results.ts";
import { animationKey } from "../../operations/scene-edit.ts";
import { editSceneFile } from "../edit-scene.ts";
import * as p from "../params.ts";
import type { DefineAction } from "../product.ts";

/** Arguments that several actions of godot_inspector share. */
export const place = { scene: p.scene, mode: p.mode };
export const group = z.string().describe("Group: enemies");
export const signal = z.string().describe("Signal: body_entered");
export const property = z.string().describe("Property: position, position:x, shape:size");

const connection = {
  ...place,
  node: p.node,
  signal,
  to: z.string().describe("Receiving node's path"),
  method: z.string().describe("Its method: _on_hit"),
};
const layers = z.array(z.int().min(1).max(32)).optional();

/** Actions that set properties, signals and groups of nodes. */
export function editActions(action: DefineAction<"project" | "workspace">) {
  return {
    connect_signal: action({
      description: "Connect a signal to a method.",
      effect: "create",
      input: z.strictObject({
        ...connection,
        flags: z
          .array(z.enum(["deferred", "one_shot", "reference_counted"]))
          .optional()
          .describe("Connection flags"),
        binds: z.array(p.item).optional().describe("Extra arguments: [5]"),
        unbinds: z.int().min(1).max(16).optional().describe("How many arguments to drop"),
      }),
      output: sceneEdited,
      handler: ({ node, signal, to, method, flags, binds, unbinds, ...input }, context) =>
        editSceneFile(context, input, `connect ${signal} of ${node}`, [
          {
            kind: "connect",
            node,
            signal,
            to,
            method,
            ...p.defined({ flags, binds: binds?.map(p.asJson), unbinds }),
          },
        ]),
    }),
    disconnect_signal: action({
      description: "Remove a connection.",
      effect: "undo",
      input: z.strictObject(connection),
      output: sceneEdited,
      handler: ({ node, signal, to, method, ...input }, context) =>
        editSceneFile(context, input, `disconnect ${signal} of ${node}`, [
          { kind: "disconnect", node, signal, to, method },
        ]),
    }),
    set_property: action({
      description: "Set one property; for several use godot_scene update.",
      effect: "update",
      input: z.strictObject({ ...place, node: p.node, property, value: p.value }),
      output: sceneEdited,
      handler: ({ node, property, value, ...input }, context) =>
        editSceneFile(context, input, `set ${property} of ${node}`, [
          { kind: "set", node, properties: { [property]: p.asJson(value) } },
        ]),
    }),
    set_collision_layer: action({
      description: "Set collision layers and masks.",
      effect: "update",
      input: z.strictObject({
        ...place,
        node: p.node,
        layers: layers.describe("Layers it is on: [1, 3]"),
        masks: layers.describe("Layers it scans: [2]"),
      }),
      output: sceneEdited,
      handler: ({ node, layers, masks, ...input }, context) =>
        editSceneFile(context, input, `collision layers of ${node}`, [
          {
            kind: "set",
            node,
            properties: {
              ...(layers !== undefined && { collision_layer: bits(layers) }),
              ...(masks !== undefined && { collision_mask: bits(masks) }),
            },
          },
        ]),
    }),
    "shader.set_param": action({
      description: "Set a shader parameter.",
      effect: "update",
      input: z.strictObject({
        ...place,
        node: p.node,
        param: z.string().describe("Shader uniform"),
        value: p.value,
        material: z.string().optional().describe("Default: material"),
      }),
      output: sceneEdited,
      handler: ({ node, param, value, material = "material", ...input }, context) =>
        editSceneFile(context, input, `shader parameter of ${node}`, [
          {
            kind: "set",
            node,
            properties: { [`${material}:shader_parameter/${param}`]: p.asJson(value) },
          },
        ]),
    }),
    "animation.create_simple": action({
      description: "Write keys into an animation.",
      effect: "update",
      input: z.strictObject({
        ...place,
        player: z.string().describe("AnimationPlayer's path"),
        animation: z.string().describe("Such as walk"),
        node: p.node,
        property,
        keys: z.array(p.anyObject).describe("{time: 0.5, value: 3}"),
        length: z.number().positive().optional().describe("Seconds"),
        replace: z.boolean().optional().describe("Drop its other tracks"),
        loop: z.boolean().optional().describe("Repeat it"),
      }),
      output: sceneEdited,
      handler: ({ player, animation, node, property, keys, length, replace, loop, ...input }, context) => {
        const checked = p.checkedItems("keys", animationKey, keys);
        if (!checked.ok) return checked;
        return editSceneFile(context, input, `animation ${animation}`, [
          {
            kind: "animation",
            player,
            animation,
            node,
            property,
            keys: [...checked.value],
            ...p.defined({ length, replace, loop }),
          },
        ]);
      },
    }),
    "groups.add": action({
      description: "Add a node to a group.",
      effect: "mark",
      input: z.strictObject({ ...place, node: p.node, group }),
      output: sceneEdited,
      handler: ({ node, group, ...input }, context) =>
        editSceneFile(context, input, `group ${group} of ${node}`, [
          { kind: "group", node, group, member: true },
        ]),
    }),
    "groups.remove": action({
      description: "Remove a node from a group.",
      effect: "undo",
      input: z.strictObject({ ...place, node: p.node, group }),
      output: sceneEdited,
      handler: ({ node, group, ...input }, context) =>
        editSceneFile(context, input, `group ${group} of ${node}`, [
          { kind: "group", node, group, member: false },
        ]),
    }),
  };
}

function bits(numbers: readonly number[]): number {
  // Layer 32 would make a signed number negative.
  return numbers.reduce((mask, number) => (mask | (1 << (number - 1))) >>> 0, 0);
}
