import * as z from "zod";
import { sceneEdited } from "../../operations/results.ts";
import { tile } from "../../operations/scene-edit.ts";
import { point } from "../../shapes.ts";
import { editSceneFile } from "../edit-scene.ts";
import * as p from "../params.ts";
import { ANY_CODE, PATH, product } from "../product.ts";
import { createScene, sceneCreated } from "./create.ts";
import { lookAction } from "./look.ts";
import {
  controlOf,
  editsFor,
  element,
  type NodeSpec,
  nodeSpec,
  PRIMITIVES,
  tilemap,
  withBodies,
} from "./parts.ts";
import { placeAction } from "./place.ts";
import { changeList, history, redo, stepped, undo } from "./undo.ts";

const pixels = point(z.strictObject({ x: z.int().min(1), y: z.int().min(1) }));
const groups = z.array(z.string()).optional().describe("Such as enemies");
const script = z.string().optional().describe("res://player.gd");
const primitive = z
  .enum(PRIMITIVES as [string, ...string[]])
  .optional()
  .describe("Collider (3D: and mesh) of this shape");
const children = z.array(p.anyObject).optional().describe("{type or source, name, properties, children}");
const on = z.boolean().optional().describe("Default: true");
const force = z.boolean().optional().describe("Even if the file changed since");
const newName = z.string().describe("New name: Hero");
const place = { scene: p.scene, mode: p.mode };

export const sceneTool = product.defineActionTool({
  name: "godot_scene",
  title: "Edit scenes",
  description: "Create and edit scenes. Edits are saved. For several edits use godot_batch.",
  category: "scene",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["project", "workspace"],
  errors: ANY_CODE,
  facts: { afterUndo: ["redo"] },
  hasContent: true,
  deadlineMs: 120_000,
  actions: (action) => ({
    new: action({
      description: "Create a scene file; to add a node use create.",
      effect: "create",
      input: z.strictObject({
        scene: p.scene,
        type: p.type.optional(),
        name: p.name.optional(),
        inherits: z.string().optional().describe("Base scene: res://base.tscn"),
        overwrite: p.overwrite,
        mode: p.mode,
      }),
      output: sceneCreated,
      handler: (input, context) => createScene(context, input),
    }),
    create: action({
      description: "Add a node.",
      effect: "create",
      input: z.strictObject({
        ...place,
        type: p.type,
        name: p.name.optional(),
        parent: p.parent.optional(),
        index: p.index.optional(),
        properties: p.properties.optional(),
        groups,
        script,
        primitive,
        children,
      }),
      output: sceneEdited,
      handler: async ({ type, parent, index, properties, children, ...input }, context) => {
        const below = p.checkedItems("children", nodeSpec, children ?? []);
        if (!below.ok) return below;
        const given = { ...input, type, properties: p.asObject(properties), children: below.value };
        const spec = await withBodies(given);
        if (!spec.ok) return spec;
        const edits = editsFor(spec.value, { parent, index });
        return editSceneFile(context, input, `create ${input.name ?? type}`, edits);
      },
    }),
    update: action({
      description: "Set properties of a node.",
      effect: "update",
      input: z.strictObject({ ...place, node: p.node, properties: p.properties }),
      output: sceneEdited,
      handler: ({ node, properties, ...input }, context) =>
        editSceneFile(context, input, `update ${node}`, [
          { kind: "set", node, properties: p.asObject(properties) ?? {} },
        ]),
    }),
    instance: action({
      description: "Add another scene as a node.",
      effect: "create",
      input: z.strictObject({
        ...place,
        source: z.string().describe("Scene: res://enemy.tscn"),
        parent: p.parent.optional(),
        name: p.name.optional(),
        index: p.index.optional(),
        properties: p.properties.optional(),
      }),
      output: sceneEdited,
      handler: ({ source, parent, index, name, properties, ...input }, context) =>
        editSceneFile(
          context,
          input,
          `instance ${source}`,
          editsFor({ source, name, properties: p.asObject(properties) }, { parent, index }),
        ),
    }),
    rename: action({
      description: "Rename a node; paths and connections follow.",
      effect: "update",
      input: z.strictObject({ ...place, node: p.node, newName }),
      output: sceneEdited,
      handler: ({ node, newName, ...input }, context) =>
        editSceneFile(context, input, `rename ${node}`, [{ kind: "rename", node, name: newName }]),
    }),
    move: action({
      description: "Move a node among its siblings.",
      effect: "update",
      input: z.strictObject({ ...place, node: p.node, index: p.index }),
      output: sceneEdited,
      handler: ({ node, index, ...input }, context) =>
        editSceneFile(context, input, `move ${node}`, [{ kind: "move", node, index }]),
    }),
    duplicate: action({
      description: "Copy a node with all below it.",
      effect: "create",
      input: z.strictObject({ ...place, node: p.node, name: p.name.optional() }),
      output: sceneEdited,
      handler: ({ node, name, ...input }, context) =>
        editSceneFile(context, input, `duplicate ${node}`, [
          { kind: "duplicate", node, ...p.defined({ name }) },
        ]),
    }),
    reparent: action({
      description: "Move a node to another parent.",
      effect: "update",
      input: z.strictObject({
        ...place,
        node: p.node,
        parent: p.parent,
        index: p.index.optional(),
        keepGlobalTransform: on,
      }),
      output: sceneEdited,
      handler: ({ node, parent, index, keepGlobalTransform, ...input }, context) =>
        editSceneFile(context, input, `reparent ${node}`, [
          { kind: "reparent", node, parent, ...p.defined({ index, keepGlobalTransform }) },
        ]),
    }),
    remove: action({
      description: "Remove a node with all below it.",
      effect: "delete",
      input: z.strictObject({ ...place, node: p.node }),
      output: sceneEdited,
      handler: ({ node, ...input }, context) =>
        editSceneFile(context, input, `remove ${node}`, [{ kind: "remove", node }]),
    }),
    attach_script: action({
      description: "Attach a script; without script, detach it.",
      effect: "update",
      input: z.strictObject({ ...place, node: p.node, script }),
      output: sceneEdited,
      handler: ({ node, script = null, ...input }, context) =>
        editSceneFile(context, input, `attach script to ${node}`, [{ kind: "script", node, script }]),
    }),
    set_unique_name: action({
      description: "Make a node reachable as %Name, or not.",
      effect: "update",
      input: z.strictObject({ ...place, node: p.node, on }),
      output: sceneEdited,
      handler: ({ node, on = true, ...input }, context) =>
        editSceneFile(context, input, `unique name of ${node}`, [{ kind: "unique_name", node, unique: on }]),
    }),
    set_editable: action({
      description: "Make an instance's children editable, or not.",
      effect: "update",
      input: z.strictObject({ ...place, node: p.node, on }),
      output: sceneEdited,
      handler: ({ node, on = true, ...input }, context) =>
        editSceneFile(context, input, `editable children of ${node}`, [
          { kind: "editable", node, editable: on },
        ]),
    }),
    create_tilemap: action({
      description: "Add a TileMapLayer with a tile set from a texture.",
      effect: "create",
      input: z.strictObject({
        ...place,
        name: p.name.optional(),
        parent: p.parent.optional(),
        texture: z.string().optional().describe("res://tiles.png"),
        size: p.vector.optional().describe("Tile size; default: [16, 16]"),
        tiles: p.tiles.optional(),
      }),
      output: sceneEdited,
      handler: ({ name = "TileMapLayer", parent, texture, size, tiles = [], ...input }, context) => {
        const cells = p.checkedItems("tiles", tile, tiles);
        if (!cells.ok) return cells;
        const tileSize = p.checked("size", pixels.optional(), size);
        if (!tileSize.ok) return tileSize;
        const edits = tilemap(name, parent, texture, tileSize.value, cells.value);
        return editSceneFile(context, input, `create tile map ${name}`, edits);
      },
    }),
    set_tiles: action({
      description: "Set or erase cells.",
      effect: "update",
      input: z.strictObject({ ...place, node: p.node, tiles: p.tiles }),
      output: sceneEdited,
      handler: ({ node, tiles, ...input }, context) => {
        const cells = p.checkedItems("tiles", tile, tiles);
        if (!cells.ok) return cells;
        return editSceneFile(context, input, `set tiles of ${node}`, [
          { kind: "tiles", node, cells: cells.value },
        ]);
      },
    }),
    create_ui: action({
      description: "Add a CanvasLayer with a Control and elements.",
      effect: "create",
      input: z.strictObject({
        ...place,
        name: p.name.optional(),
        parent: p.parent.optional(),
        elements: z
          .array(p.anyObject)
          .describe("Controls {type, name, layout, properties, children}; layout: full, top_wide, …"),
      }),
      output: sceneEdited,
      handler: ({ name = "UI", parent, elements, ...input }, context) => {
        const controls = p.checkedItems("elements", element, elements);
        if (!controls.ok) return controls;
        const spec: NodeSpec = {
          type: "CanvasLayer",
          name,
          children: [
            controlOf({ type: "Control", name: "UIRoot", layout: "full", children: controls.value }),
          ],
        };
        return editSceneFile(context, input, `create UI ${name}`, editsFor(spec, { parent }));
      },
    }),
    place: placeAction(action),
    look: lookAction(action),
    undo: action({
      description: "Undo the last edit.",
      effect: "undo",
      input: z.strictObject({ ...place, force }),
      output: stepped,
      handler: (input, context) => undo(context, input),
    }),
    redo: action({
      description: "Redo what was undone.",
      effect: "update",
      input: z.strictObject({ ...place, force }),
      output: stepped,
      handler: (input, context) => redo(context, input),
    }),
    history: action({
      description: "List what can be undone.",
      effect: "none",
      errors: PATH,
      input: z.strictObject({ scene: p.scene, limit: p.limit("20") }),
      output: changeList,
      handler: (input, context) => history(context, input),
    }),
  }),
});
