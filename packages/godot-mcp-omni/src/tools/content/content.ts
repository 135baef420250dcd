import * as z from "zod";
import { sceneEdited } from "../../operations/results.ts";
import { editSceneFile } from "../edit-scene.ts";
import * as p from "../params.ts";
import { ANY_CODE, product } from "../product.ts";
import { animationInput, writeAnimation } from "./animation.ts";
import { makeTree, treeInput } from "./animation-tree.ts";
import {
  addAsset,
  addAssetInput,
  assetAdded,
  importRead,
  importSettings,
  importSettingsInput,
} from "./assets.ts";
import { cellsRead, paintCells, paintInput, readCells, readInput } from "./cell-actions.ts";
import { makeSpriteFrames, spriteFramesInput, spriteFramesMade } from "./sprite-frames.ts";
import { makeTileSet, tileSetInput, tileSetMade } from "./tile-set.ts";
import { formInput, makeForm } from "./ui.ts";

export const contentTool = product.defineActionTool({
  name: "godot_content",
  title: "Tiles, animations, UI and other content",
  description:
    "Make content of a game in one call each: assets copied and imported, tile sets and painted tile maps, sprites, animations, animation trees, forms and menus, baked navigation. What these actions do not name is a property: use godot_scene update and godot_asset resource.create.",
  category: "content",
  openWorld: false,
  profiles: ["full"],
  needs: ["project", "workspace", "settings"],
  errors: ANY_CODE,
  deadlineMs: 180_000,
  goOn: "Narrow it with region.",
  actions: (action) => ({
    "tile_set.create": action({
      description: "Create a TileSet file from an image, with physics and terrains. Import the image first.",
      effect: "create",
      input: tileSetInput,
      output: tileSetMade,
      handler: (input, context) => makeTileSet(context, input),
    }),
    "cells.read": action({
      description: "Read the cells of a TileMapLayer or GridMap as rows of letters with a legend.",
      effect: "none",
      input: readInput,
      output: cellsRead,
      handler: (input, context) => readCells(context, input),
    }),
    "cells.paint": action({
      description:
        "Paint cells of a TileMapLayer or GridMap: rectangles, drawings, floods, copies and terrains, all as one edit.",
      effect: "update",
      input: paintInput,
      output: sceneEdited,
      handler: (input, context) => paintCells(context, input),
    }),
    "asset.add": action({
      description:
        "Copy an image, model, sound or font from a folder that the operator allows into the project, and import it.",
      effect: "create",
      input: addAssetInput,
      output: assetAdded,
      handler: (input, context) => addAsset(context, input),
    }),
    "asset.import_settings": action({
      description: "Read how a file is imported; with settings, change them, import it again and wait.",
      effect: "update",
      input: importSettingsInput,
      output: importRead,
      handler: (input, context) => importSettings(context, input),
    }),
    "animation.write": action({
      description:
        "Write a whole animation into an AnimationPlayer: tracks of properties, methods, bezier curves, sounds and other animations, with loop, easing and RESET.",
      effect: "update",
      input: animationInput,
      output: sceneEdited,
      handler: (input, context) => writeAnimation(context, input),
    }),
    "animation.tree": action({
      description:
        "Make an AnimationTree with a state machine or a blend space, or give the one at node another root.",
      effect: "update",
      input: treeInput,
      output: sceneEdited,
      handler: (input, context) => makeTree(context, input),
    }),
    "ui.form": action({
      description: "Add a form or menu to a scene: title, labelled fields and buttons with their signals.",
      effect: "create",
      input: formInput,
      output: sceneEdited,
      handler: (input, context) => makeForm(context, input),
    }),
    "navigation.bake": action({
      description: "Bake the navigation of a NavigationRegion2D or NavigationRegion3D.",
      effect: "update",
      input: z.strictObject({ scene: p.scene, node: p.node.optional(), mode: p.mode }),
      output: sceneEdited,
      handler: ({ node = ".", ...input }, context) =>
        editSceneFile(context, input, `bake ${node}`, [{ kind: "bake", node }]),
    }),
    "sprite_frames.create": action({
      description:
        "Create a SpriteFrames file with animations from a sheet or from a folder of images. Import the images first.",
      effect: "create",
      input: spriteFramesInput,
      output: spriteFramesMade,
      handler: (input, context) => makeSpriteFrames(context, input),
    }),
  }),
});
