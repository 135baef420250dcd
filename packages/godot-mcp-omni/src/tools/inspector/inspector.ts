import type { Json, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { askAboutScene } from "../../drivers/ask.ts";
import { errors } from "../../errors.ts";
import {
  connectionList,
  inspection,
  methodList,
  nodesFound,
  propertyList,
  sceneTree,
  signalList,
} from "../../operations/results.ts";
import { propertyPath } from "../../scene-model/scene-tree.ts";
import { json, list, text } from "../../shapes.ts";
import * as p from "../params.ts";
import { ANY_CODE, answerOf, count, product } from "../product.ts";
import { editActions, group, place, property, signal } from "./edits.ts";
import { inspect, listMembers } from "./inspect.ts";

const target = {
  ...place,
  node: p.node.optional(),
  class: z.string().optional().describe("Class or class_name: Sprite2D"),
  resource: z.string().optional().describe("res://mat.tres"),
};
const LIMIT = "200; tree 1000, find 100";
const contains = z.string().optional().describe("Part of the name");

export const inspectorTool = product.defineActionTool({
  name: "godot_inspector",
  title: "Inspect scenes and classes",
  description:
    "Read trees, nodes, classes and resources; set properties, signals and groups. Defaults are left out. For the running game use godot_game.",
  category: "inspector",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["project", "workspace"],
  errors: ANY_CODE,
  deadlineMs: 120_000,
  goOn: "Narrow it with under, depth, fields, contains or limit.",
  actions: (action) => ({
    "scene_tree.get": action({
      description: "Get the node tree of a scene.",
      effect: "none",
      input: z.strictObject({
        ...place,
        under: z.string().optional().describe("Start at this node"),
        depth: z.int().min(0).max(64).optional().describe("Levels below it"),
        limit: p.limit(LIMIT),
      }),
      output: sceneTree,
      handler: async ({ under, depth, limit, ...input }, context) =>
        answerOf(
          await askAboutScene(context, input, "scene.tree", (scene) =>
            p.defined({ scene, under, depth, limit }),
          ),
          ({ scene, nodes, truncated }) => `${scene} has ${nodes}${truncated ? " or more" : ""} nodes.`,
        ),
    }),
    query: action({
      description: "Find nodes by name, class or group.",
      effect: "none",
      input: z.strictObject({
        ...place,
        name: p.name.optional(),
        contains,
        class: target.class,
        group: group.optional(),
        limit: p.limit(LIMIT),
      }),
      output: nodesFound,
      handler: async ({ name, contains: nameContains, class: type, group, limit, ...input }, context) =>
        answerOf(
          await askAboutScene(context, input, "scene.find", (scene) =>
            p.defined({ scene, name, nameContains, type, group, limit }),
          ),
          ({ total }) => `${count(total, "node")} found.`,
        ),
    }),
    inspect: action({
      description: "Get properties.",
      effect: "none",
      input: z.strictObject({
        ...target,
        fields: z.array(z.string()).optional().describe("Only these properties"),
        all: z.boolean().optional().describe("Include defaults"),
      }),
      output: inspection,
      handler: (input, context) => inspect(context, input),
    }),
    property_list: action({
      description: "List properties with type and default.",
      effect: "none",
      input: z.strictObject({ ...target, contains, limit: p.limit(LIMIT) }),
      output: propertyList,
      handler: (input, context) => listMembers(context, input, "properties"),
    }),
    method_list: action({
      description: "List methods with arguments.",
      effect: "none",
      input: z.strictObject({ ...target, contains, limit: p.limit(LIMIT) }),
      output: methodList,
      handler: (input, context) => listMembers(context, input, "methods"),
    }),
    "signals.list": action({
      description: "List signals.",
      effect: "none",
      input: z.strictObject({ ...target, contains, limit: p.limit(LIMIT) }),
      output: signalList,
      handler: (input, context) => listMembers(context, input, "signals"),
    }),
    "signals.connections.list": action({
      description: "List connections.",
      effect: "none",
      input: z.strictObject({ ...place, node: p.node.optional(), signal: signal.optional() }),
      output: connectionList,
      handler: async ({ node, signal, ...input }, context) =>
        answerOf(
          await askAboutScene(context, input, "connections.list", (scene) =>
            p.defined({ scene, node, signal }),
          ),
          ({ connections }) => `${count(connections.length, "connection")}.`,
        ),
    }),
    get_property: action({
      description: "Get one property of a node.",
      effect: "none",
      input: z.strictObject({ ...place, node: p.node, property }),
      output: z.strictObject({ node: text, property: text, value: json }),
      handler: async ({ node, property, ...input }, context) => {
        const [first = "", ...rest] = propertyPath(property);
        const read = await inspect(context, { ...input, node, fields: [first] });
        if (!read.ok) return read;
        const whole = read.value.properties[first] ?? null;
        const value = rest.reduce<Json | undefined>(memberOf, whole);
        if (value === undefined)
          return errors.fail(
            "E_SCHEMA_VALIDATION",
            `"${first}" has no member "${rest.join(":")}", or that member holds its default.`,
          );
        const summary = `${property} of ${node} is ${JSON.stringify(value).slice(0, 120)}.`;
        return ok({ node, property, value }, { ...read.notes, summary });
      },
    }),
    "groups.get": action({
      description: "List the groups of a node.",
      effect: "none",
      input: z.strictObject({ ...place, node: p.node }),
      output: z.strictObject({ node: text, groups: list(text) }),
      handler: async ({ node, ...input }, context) => {
        const read = await inspect(context, { ...input, node, fields: [] });
        if (!read.ok) return read;
        const { groups = [] } = read.value;
        const summary = `Groups of ${node}: ${groups.join(", ") || "none"}.`;
        return ok({ node, groups }, { ...read.notes, summary });
      },
    }),
    ...editActions(action),
  }),
});

/** `x` of a vector, or a property of a resource. */
function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const members = value as JsonObject;
  return members[name] ?? (members.properties as JsonObject | undefined)?.[name];
}
