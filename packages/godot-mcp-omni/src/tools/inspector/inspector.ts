import type { Json, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import * as z from "zod";
import { askAboutScene } from "../../drivers/ask.ts";
import { errors } from "../../errors.ts";
import { told } from "../answer.ts";
import { ANY_CODE } from "../codes.ts";
import { editSceneFile } from "../edit-scene.ts";
import * as p from "../params.ts";
import { product } from "../product.ts";
import { sceneEdited } from "../shapes.ts";
import { count } from "../words.ts";
import { inspect, listMembers } from "./inspect.ts";

const place = { scene: p.scene, mode: p.mode };
const target = {
  ...place,
  node: p.node.optional(),
  class: z.string().optional().describe("Class or class_name"),
  resource: z.string().optional().describe("res://….tres"),
};
const contains = z.string().optional().describe("Part of the name");
const connection = {
  ...place,
  node: p.node,
  signal: z.string().describe("Signal"),
  to: z.string().describe("Path of the receiving node"),
  method: z.string().describe("Method of the receiver"),
};
const group = z.string().describe("Group");
const layers = z.array(z.int().min(1).max(32)).optional();
const property = z.string().describe("Property; position:x and shape:size reach inside");

export const inspectorTool = product.defineActionTool({
  name: "godot_inspector",
  title: "Look into scenes and classes",
  describe:
    "Read trees, nodes, classes and resources; set properties, signals and groups. Answers hold what differs from the default.",
  category: "inspector",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["project", "godots"],
  errors: ANY_CODE,
  deadlineMs: 120_000,
  goOn: "Narrow it with under, depth, fields, contains or limit.",
  actions: (action) => ({
    "scene_tree.get": action({
      describe: "The tree of a scene.",
      effect: "none",
      input: z.strictObject({
        ...place,
        under: z.string().optional().describe("Start at this node"),
        depth: z.int().min(0).max(64).optional().describe("Levels below it"),
        limit: p.limit,
      }),
      output: p.answer,
      run: async ({ under, depth, limit, ...input }, context) => {
        const params = {
          ...(under !== undefined && { under }),
          ...(depth !== undefined && { depth }),
          ...(limit !== undefined && { limit }),
        };
        const read = await askAboutScene(context, input, "scene.tree", (scene) => ({ scene, ...params }));
        if (!read.ok) return read;
        const { value, mode } = read.value;
        return told(value, {
          summary: `${value.scene} has ${value.nodes}${value.truncated ? " or more" : ""} nodes.`,
          execution: { mode },
        });
      },
    }),
    query: action({
      describe: "Nodes by name, class or group.",
      effect: "none",
      input: z.strictObject({
        ...place,
        name: p.name.optional(),
        contains,
        class: target.class,
        group: group.optional(),
        limit: p.limit,
      }),
      output: p.answer,
      run: async ({ name, contains, class: type, group, limit, ...input }, context) => {
        const params = {
          ...(name !== undefined && { name }),
          ...(contains !== undefined && { nameContains: contains }),
          ...(type !== undefined && { type }),
          ...(group !== undefined && { group }),
          ...(limit !== undefined && { limit }),
        };
        const read = await askAboutScene(context, input, "scene.find", (scene) => ({ scene, ...params }));
        if (!read.ok) return read;
        const { value, mode } = read.value;
        return told(value, { summary: `${count(value.total, "node")} found.`, execution: { mode } });
      },
    }),
    inspect: action({
      describe: "A node, class or resource.",
      effect: "none",
      input: z.strictObject({
        ...target,
        fields: z.array(z.string()).optional().describe("Only these properties"),
        all: z.boolean().optional().describe("Defaults too"),
      }),
      output: p.answer,
      run: (input, context) => inspect(context, input),
    }),
    property_list: action({
      describe: "Properties with type, default and origin.",
      effect: "none",
      input: z.strictObject({ ...target, contains, limit: p.limit }),
      output: p.answer,
      run: (input, context) => listMembers(context, input, "properties"),
    }),
    method_list: action({
      describe: "Methods with arguments.",
      effect: "none",
      input: z.strictObject({ ...target, contains, limit: p.limit }),
      output: p.answer,
      run: (input, context) => listMembers(context, input, "methods"),
    }),
    "signals.list": action({
      describe: "Signals.",
      effect: "none",
      input: z.strictObject({ ...target, contains, limit: p.limit }),
      output: p.answer,
      run: (input, context) => listMembers(context, input, "signals"),
    }),
    "signals.connections.list": action({
      describe: "Connections of a scene or of one node.",
      effect: "none",
      input: z.strictObject({ ...place, node: p.node.optional(), signal: connection.signal.optional() }),
      output: p.answer,
      run: async ({ node, signal, ...input }, context) => {
        const read = await askAboutScene(context, input, "connections.list", (scene) => ({
          scene,
          ...(node !== undefined && { node }),
          ...(signal !== undefined && { signal }),
        }));
        if (!read.ok) return read;
        const { value, mode } = read.value;
        return told(value, {
          summary: `${count(value.connections.length, "connection")}.`,
          execution: { mode },
        });
      },
    }),
    connect_signal: action({
      describe: "Wires a signal to a method.",
      effect: "create",
      input: z.strictObject({
        ...connection,
        flags: z
          .array(z.enum(["deferred", "one_shot", "reference_counted"]))
          .optional()
          .describe("Flags"),
        binds: z.array(p.item).optional().describe("Extra arguments"),
        unbinds: z.int().min(1).max(16).optional().describe("Arguments to leave out"),
      }),
      output: sceneEdited,
      run: ({ node, signal, to, method, flags, binds, unbinds, ...input }, context) =>
        editSceneFile(context, input, `connect ${signal} of ${node}`, [
          {
            kind: "connect",
            node,
            signal,
            to,
            method,
            ...(flags !== undefined && { flags }),
            ...(binds !== undefined && { binds: binds.map(p.asJson) }),
            ...(unbinds !== undefined && { unbinds }),
          },
        ]),
    }),
    disconnect_signal: action({
      describe: "Takes a connection away.",
      effect: "undo",
      input: z.strictObject(connection),
      output: sceneEdited,
      run: ({ node, signal, to, method, ...input }, context) =>
        editSceneFile(context, input, `disconnect ${signal} of ${node}`, [
          {
            kind: "disconnect",
            node,
            signal,
            to,
            method,
          },
        ]),
    }),
    get_property: action({
      describe: "One property of a node.",
      effect: "none",
      input: z.strictObject({ ...place, node: p.node, property }),
      output: p.answer,
      run: async ({ node, property, ...input }, context) => {
        const [first = "", ...rest] = property.split(":");
        const read = await inspect(context, { ...input, node, fields: [first] });
        if (!read.ok) return read;
        const whole = (read.value.properties as JsonObject)[first] ?? null;
        const value = rest.reduce<Json | undefined>(memberOf, whole);
        if (value === undefined)
          return errors.fail(
            "E_SCHEMA_VALIDATION",
            `"${first}" tells no member "${rest.join(":")}": there is none, or it holds its default.`,
          );
        return ok(
          { node, property, value },
          { ...read.notes, summary: `${property} of ${node} is ${JSON.stringify(value).slice(0, 120)}.` },
        );
      },
    }),
    set_property: action({
      describe: "Sets one property of a node.",
      effect: "update",
      input: z.strictObject({ ...place, node: p.node, property, value: p.value }),
      output: sceneEdited,
      run: ({ node, property, value, ...input }, context) =>
        editSceneFile(context, input, `set ${property} of ${node}`, [
          {
            kind: "set",
            node,
            properties: { [property]: p.asJson(value) },
          },
        ]),
    }),
    set_collision_layer: action({
      describe: "Sets collision layers and masks by number.",
      effect: "update",
      input: z.strictObject({
        ...place,
        node: p.node,
        layers: layers.describe("Layers it is on"),
        masks: layers.describe("Layers it sees"),
      }),
      output: sceneEdited,
      run: ({ node, layers, masks, ...input }, context) =>
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
      describe: "Sets a parameter of a node's ShaderMaterial.",
      effect: "update",
      input: z.strictObject({
        ...place,
        node: p.node,
        param: z.string().describe("Uniform of the shader"),
        value: p.value,
        material: z.string().optional().describe("Property that holds the material"),
      }),
      output: sceneEdited,
      run: ({ node, param, value, material = "material", ...input }, context) =>
        editSceneFile(context, input, `shader parameter of ${node}`, [
          {
            kind: "set",
            node,
            properties: { [`${material}:shader_parameter/${param}`]: p.asJson(value) },
          },
        ]),
    }),
    "animation.create_simple": action({
      describe: "Writes keys of a property into an animation.",
      effect: "update",
      input: z.strictObject({
        ...place,
        player: z.string().describe("Path of the AnimationPlayer"),
        animation: z.string().describe("Name of the animation"),
        node: p.node,
        property,
        keys: z.array(p.anyObject).describe("{time, value}"),
        length: z.number().positive().optional().describe("Seconds"),
        replace: z.boolean().optional().describe("Drop its other tracks"),
      }),
      output: sceneEdited,
      run: ({ player, animation, node, property, keys, length, replace, ...input }, context) => {
        const checked = p.checkedItems("keys", p.animationKey, keys);
        if (!checked.ok) return checked;
        return editSceneFile(context, input, `animation ${animation}`, [
          {
            kind: "animation",
            player,
            animation,
            node,
            property,
            keys: checked.value.map(({ time, value }) => ({ time, value: p.asJson(value) })),
            ...(length !== undefined && { length }),
            ...(replace !== undefined && { replace }),
          },
        ]);
      },
    }),
    "groups.get": action({
      describe: "Groups of a node.",
      effect: "none",
      input: z.strictObject({ ...place, node: p.node }),
      output: p.answer,
      run: async ({ node, ...input }, context) => {
        const read = await inspect(context, { ...input, node, fields: [] });
        if (!read.ok) return read;
        const groups = read.value.groups ?? [];
        return ok(
          { node, groups },
          { ...read.notes, summary: `Groups of ${node}: ${String(groups) || "none"}.` },
        );
      },
    }),
    "groups.add": action({
      describe: "Puts a node into a group.",
      effect: "mark",
      input: z.strictObject({ ...place, node: p.node, group }),
      output: sceneEdited,
      run: ({ node, group, ...input }, context) =>
        editSceneFile(context, input, `group ${group} of ${node}`, [
          { kind: "group", node, group, member: true },
        ]),
    }),
    "groups.remove": action({
      describe: "Takes a node out of a group.",
      effect: "undo",
      input: z.strictObject({ ...place, node: p.node, group }),
      output: sceneEdited,
      run: ({ node, group, ...input }, context) =>
        editSceneFile(context, input, `group ${group} of ${node}`, [
          { kind: "group", node, group, member: false },
        ]),
    }),
  }),
});

/** `x` of a vector, or a property of a resource. */
function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const members = value as JsonObject;
  return members[name] ?? (members.properties as JsonObject | undefined)?.[name];
}

function bits(numbers: readonly number[]): number {
  // Layer 32 would make a signed number negative.
  return numbers.reduce((mask, number) => (mask | (1 << (number - 1))) >>> 0, 0);
}
