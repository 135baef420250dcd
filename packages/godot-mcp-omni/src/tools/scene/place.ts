import type { JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type Result, unknownName } from "../../errors.ts";
import { inSlices } from "../../formats/document.ts";
import { imageSize } from "../../formats/image-size.ts";
import { sceneEdited } from "../../operations/results.ts";
import type { SceneEdit } from "../../operations/scene-edit.ts";
import type { Project } from "../../project/project.ts";
import { globalTransform, isA } from "../../scene-model/geometry.ts";
import { type Box, globalTransform3D, overlap3D, type Vector3 } from "../../scene-model/geometry3d.ts";
import { localPosition } from "../../scene-model/global-transform.ts";
import { boxOf, type PictureSizes, pathPoints, solidBoxes, spaceOf } from "../../scene-model/node-box.ts";
import { isOnNavigation, readingNavigation } from "../../scene-model/reach.ts";
import { nodeAt, resolvingTree, type SceneNode, walk } from "../../scene-model/scene-tree.ts";
import { loadScene, referencedPath, type SceneWorld } from "../../scene-model/scene-world.ts";
import { list, text } from "../../shapes.ts";
import { editSceneFile } from "../edit-scene.ts";
import * as p from "../params.ts";
import { ANY_CODE, count, type DefineAction, type ToolAnswer } from "../product.ts";
import { boxAt, type Item, placesOf, type Stage, type Where, where as whereShape } from "./placement.ts";

/** Positions of the nodes' origins in the scene. */
const placed = sceneEdited.extend({ placed: list(z.strictObject({ node: text, at: list(z.number()) })) });

export function placeAction(action: DefineAction<"project" | "workspace">) {
  return action({
    description: "Put a node or copies on, beside, in or along others.",
    effect: "update",
    errors: ANY_CODE,
    input: z.strictObject({
      scene: p.scene,
      mode: p.mode,
      node: p.node,
      where: p.anyObject.describe(
        "{on: Table}, {beside: Door, side: left}, {along: Path, count: 5}; inside, grid, floor: tool_help",
      ),
    }),
    output: placed,
    handler: async ({ node, where, ...request }, context): Promise<ToolAnswer<z.infer<typeof placed>>> => {
      const asked = p.checked("where", whereShape, where);
      if (!asked.ok) return asked;
      const planned = await planOf(context.project, request.scene, node, asked.value);
      if (!planned.ok) return planned;
      const { edits, places, warnings } = planned.value;
      const edited = await editSceneFile(context, request, `place ${node}`, edits);
      if (!edited.ok) return edited;
      const copies = edited.value.changes.filter(({ kind }) => kind === "duplicate").map(({ node }) => node);
      const names = [...places.names, ...copies];
      const found = [...(edited.notes?.warnings ?? []), ...warnings];
      return ok(
        { ...edited.value, placed: places.at.map((at, index) => ({ node: names[index] ?? node, at })) },
        {
          ...edited.notes,
          summary: `${count(places.at.length, "node")} placed in ${edited.value.scene}.`,
          ...(found.length > 0 && { warnings: found }),
        },
      );
    },
  });
}

interface Plan {
  readonly edits: readonly SceneEdit[];
  readonly places: { readonly names: readonly string[]; readonly at: readonly (readonly number[])[] };
  readonly warnings: readonly string[];
}

async function planOf(
  project: Project,
  scene: string | undefined,
  path: string,
  where: Where,
): Promise<Result<Plan>> {
  if (scene === undefined)
    return errors.fail("E_SCHEMA_VALIDATION", "Name the scene, such as res://main.tscn.");
  const file = await project.resolve(scene);
  if (!file.ok) return file;
  const loaded = await loadScene(project, file.value);
  if (!loaded.ok) return loaded;
  const { world } = loaded.value;
  const root = await inSlices(resolvingTree(loaded.value.scene, world));
  if (root === undefined) return errors.fail("E_UNSUPPORTED", `${file.value.res} has no root node.`);
  const find = (name: string) => nodeOf(root, name);
  const nodes: SceneNode[] = [];
  for (const name of [path, ...(where.with ?? [])]) {
    const node = find(name);
    if (!node.ok) return node;
    if (node.value === root)
      return errors.fail("E_SCHEMA_VALIDATION", "The root of a scene is not placed in it.");
    nodes.push(node.value);
  }
  const named = where.on ?? where.beside ?? where.inside ?? where.along;
  const target = named === undefined ? undefined : find(named);
  if (target !== undefined && !target.ok) return target;
  const [first] = nodes as [SceneNode, ...SceneNode[]];
  const space = spaceOf(first, world);
  const strange =
    space === undefined
      ? first
      : [...nodes, ...(target === undefined ? [] : [target.value])].find(
          (node) => spaceOf(node, world) !== space,
        );
  if (strange !== undefined)
    return errors.fail(
      "E_UNSUPPORTED",
      `${strange.path} is a ${strange.type ?? "node of unknown class"}: only nodes of 2D, or nodes of 3D, can be placed together.`,
      { suggestedFix: "Lay out controls with containers, or with layout in create_ui." },
    );
  const pictures = await pictureSizes(project, root);
  const items: Item[] = [];
  for (const node of nodes) {
    const item = itemOf(node, where.size, world, pictures);
    if (!item.ok) return item;
    items.push(item.value);
  }
  const copies = Math.max(0, (where.count ?? items.length) - items.length);
  const all = [...items, ...Array.from({ length: copies }, () => items[0] as Item)];
  const isFlat = space === "2D";
  const isOwn = (node: SceneNode) =>
    nodes.some((each) => each === node || node.path.startsWith(`${each.path}/`));
  const solid = solidBoxes(root, world).filter(({ body }) => !isOwn(body));
  const stage = stageOf(
    target?.value,
    where,
    { isFlat, ground: solid.map(({ box }) => box) },
    world,
    pictures,
  );
  if (!stage.ok) return stage;
  const places = placesOf(where, all, stage.value);
  if (!places.ok) return places;
  const boxes = all.map((item, index) => boxAt(item, places.value[index] ?? item.origin));
  const obstacles = solid.filter(({ body }) => where.inside === undefined || body !== target?.value);
  const refused = where.anyway ? undefined : overlapping(boxes, obstacles, first.path, isFlat);
  if (refused !== undefined) return refused;
  const nav = await navigationProblem(root, first, places.value, boxes, world, isFlat);
  if (nav?.isRefusal && !where.anyway) return nav.failure;
  return ok({
    edits: editsOf(nodes, copies, places.value, world),
    places: {
      names: nodes.map((node) => node.path),
      at: places.value.map((at) => at.slice(0, isFlat ? 2 : 3).map(rounded)),
    },
    warnings: nav === undefined ? [] : [nav.failure.failure.message],
  });
}

function nodeOf(root: SceneNode, name: string): Result<SceneNode, "E_NOT_FOUND"> {
  const all = () => [...walk(root)];
  const found = name.startsWith("%")
    ? all().find(
        (node) => node.name === name.slice(1) && node.properties.get("unique_name_in_owner")?.text === "true",
      )
    : nodeAt(root, name);
  if (found !== undefined) return ok(found);
  return unknownName(
    "E_NOT_FOUND",
    `There is no node "${name.slice(0, 100)}" in the scene.`,
    name,
    all().map(({ path }) => path),
  );
}

async function pictureSizes(project: Project, root: SceneNode): Promise<PictureSizes> {
  const sizes = new Map<string, { width: number; height: number }>();
  for (const { properties } of walk(root)) {
    const held = properties.get("texture");
    const path = held && referencedPath(held.file, held.text);
    if (path === undefined || sizes.has(path)) continue;
    const read = await project.readBytes(path);
    const size = read.ok ? imageSize(read.value.bytes) : undefined;
    if (size !== undefined) sizes.set(path, size);
  }
  return sizes;
}

function itemOf(
  node: SceneNode,
  given: Where["size"],
  world: SceneWorld,
  pictures: PictureSizes,
): Result<Item, "E_UNSUPPORTED"> {
  const origin = originOf(node, world);
  const box = given === undefined ? boxOf(node, world, pictures) : undefined;
  if (origin === undefined || (box === undefined && given === undefined)) return unknownSize(node);
  if (box === undefined) return ok({ name: node.path, size: given ?? [0, 0, 0], middle: [0, 0, 0], origin });
  const part = (axis: 0 | 1 | 2) => box.most[axis] - box.least[axis];
  const middle = (axis: 0 | 1 | 2) => (box.most[axis] + box.least[axis]) / 2 - origin[axis];
  return ok({
    name: node.path,
    size: [part(0), part(1), part(2)],
    middle: [middle(0), middle(1), middle(2)],
    origin,
  });
}

function unknownSize({ path }: SceneNode) {
  return errors.fail("E_UNSUPPORTED", `The files do not show how large ${path} is.`, {
    details: { unsupportedBy: "files" },
    suggestedFix: "Give it a collision shape, or its size: [width, height, depth].",
  });
}

function originOf(node: SceneNode, { classes }: SceneWorld): Vector3 | undefined {
  if (isA(node, "Node3D", classes)) return globalTransform3D(node, classes)?.origin;
  const { e, f } = globalTransform(node, classes);
  return [e, f, 0];
}

function stageOf(
  target: SceneNode | undefined,
  { along }: Where,
  rest: Pick<Stage, "isFlat" | "ground">,
  world: SceneWorld,
  pictures: PictureSizes,
): Result<Stage, "E_UNSUPPORTED"> {
  if (target === undefined) return ok(rest);
  const path = along === undefined ? undefined : pathPoints(target, world);
  if (path !== undefined && path.length > 1) return ok({ ...rest, path });
  const box = boxOf(target, world, pictures);
  return box === undefined ? unknownSize(target) : ok({ ...rest, target: { name: target.path, box } });
}

/** Touching does not count as overlap: meters in 3D, pixels in 2D. */
const LEAST = { flat: 1, solid: 0.01 } as const;

function overlapping(
  boxes: readonly Box[],
  obstacles: readonly { readonly body: SceneNode; readonly box: Box }[],
  name: string,
  isFlat: boolean,
) {
  const found = boxes.flatMap((box) =>
    obstacles.flatMap(({ body, box: other }) => {
      const depth = overlap3D(isFlat ? thick(box) : box, isFlat ? thick(other) : other);
      return depth > (isFlat ? LEAST.flat : LEAST.solid) ? [{ body: body.path, depth: rounded(depth) }] : [];
    }),
  );
  const [first] = found;
  if (first === undefined) return undefined;
  return errors.fail(
    "E_UNSUPPORTED",
    `${name} would stand ${first.depth} ${isFlat ? "pixels" : "meters"} deep in ${first.body}.`,
    {
      details: { overlaps: found.slice(0, 20) },
      suggestedFix: "Choose another side, at or gap, or allow it with anyway.",
    },
  );
}

/** Gives a 2D box a depth, to make depths comparable. */
function thick({ least, most }: Box): Box {
  return { least: [least[0], least[1], -1e6], most: [most[0], most[1], 1e6] };
}

/** Refuses to place a walker off the baked navigation; warns if a body on it requires a new bake. */
async function navigationProblem(
  root: SceneNode,
  node: SceneNode,
  places: readonly Vector3[],
  boxes: readonly Box[],
  { classes }: SceneWorld,
  isFlat: boolean,
) {
  const dimension = isFlat ? "2D" : "3D";
  const navigation = await inSlices(readingNavigation([...walk(root)], dimension, classes));
  if (navigation.polygons.length === 0 || navigation.isPartial) return undefined;
  const isWalker =
    isA(node, `CharacterBody${dimension}`, classes) ||
    [...walk(node)].some((each) => isA(each, `NavigationAgent${dimension}`, classes));
  const feet = (index: number): Vector3 => {
    const { least, most } = boxes[index] ?? { least: [0, 0, 0], most: [0, 0, 0] };
    return isFlat ? (places[index] ?? least) : [(least[0] + most[0]) / 2, least[1], (least[2] + most[2]) / 2];
  };
  const isOn = places.map((_, index) => isOnNavigation(navigation, feet(index)));
  if (isWalker && isOn.includes(false))
    return {
      isRefusal: true,
      failure: errors.fail("E_UNSUPPORTED", `${node.path} would not stand on the navigation mesh.`, {
        suggestedFix: "Place it elsewhere, or allow it with anyway.",
      }),
    };
  if (isWalker || !isA(node, `StaticBody${dimension}`, classes) || !isOn.includes(true)) return undefined;
  return {
    isRefusal: false,
    failure: errors.fail(
      "E_UNSUPPORTED",
      `${node.path} stands on baked navigation: bake it again with godot_content navigation.bake.`,
    ),
  };
}

function editsOf(
  nodes: readonly SceneNode[],
  copies: number,
  places: readonly Vector3[],
  world: SceneWorld,
): SceneEdit[] {
  const [first] = nodes as [SceneNode, ...SceneNode[]];
  const to = (node: SceneNode, index: number): JsonObject => {
    const [x, y, z] = (places[index] ?? [0, 0, 0]).map(rounded) as [number, number, number];
    const isFlat = spaceOf(node, world) === "2D";
    const local = localPosition(world, node, isFlat ? { x, y } : { x, y, z });
    return local.ok ? local.value : { global_position: isFlat ? { x, y } : { x, y, z } };
  };
  return [
    ...Array.from({ length: copies }, (_, copy): SceneEdit[] => [
      { kind: "duplicate", node: first.path, as: `copy${copy}` },
      { kind: "set", node: `$copy${copy}`, properties: to(first, nodes.length + copy) },
    ]).flat(),
    ...nodes.map((node, index): SceneEdit => ({ kind: "set", node: node.path, properties: to(node, index) })),
  ];
}

function rounded(number: number): number {
  return Math.round(number * 10_000) / 10_000 + 0;
}
