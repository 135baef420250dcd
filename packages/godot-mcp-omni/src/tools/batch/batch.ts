import type { JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type Result, unknownName } from "../../errors.ts";
import { sceneEdited } from "../../operations/results.ts";
import { EDITS, type EditKind, KINDS, OF_ACTIONS, type SceneEdit } from "../../operations/scene-edit.ts";
import { json } from "../../shapes.ts";
import { editSceneFile } from "../edit-scene.ts";
import * as p from "../params.ts";
import { ANY_CODE, product } from "../product.ts";
import { editsFor, type NodeSpec, nodeSpec, withBodies } from "../scene/parts.ts";

/** An action of godot_scene or godot_inspector as an edit of a batch, with the same name and arguments. */
interface Word {
  readonly kind: EditKind;
  readonly takes: z.ZodRawShape;
  /** The edit's members, from the action's arguments. */
  readonly members: (args: JsonObject) => JsonObject;
}

const same = (args: JsonObject) => args;
const { name: newName, ...renamed } = EDITS.rename.takes;
const { unique: _unique, ...uniqueNode } = EDITS.unique_name.takes;
const { editable: _editable, ...editableNode } = EDITS.editable.takes;
const { cells: tiles, ...tiledNode } = EDITS.tiles.takes;
const { member: _member, ...grouped } = EDITS.group.takes;
const on = z.boolean().exactOptional();

/** Actions whose edits have another name or other arguments. */
const ACTIONS: Readonly<Record<string, Word>> = {
  create: {
    kind: "add",
    takes: {
      ...EDITS.add.takes,
      primitive: z.string().exactOptional(),
      children: z.array(nodeSpec).exactOptional(),
    },
    members: same,
  },
  update: { kind: "set", takes: EDITS.set.takes, members: same },
  set_property: {
    kind: "set",
    takes: { node: EDITS.set.takes.node, property: z.string(), value: json },
    members: ({ node = null, property, value = null }) => ({
      node,
      properties: { [String(property)]: value },
    }),
  },
  rename: {
    kind: "rename",
    takes: { ...renamed, newName },
    members: ({ newName: name = null, ...args }) => ({ ...args, name }),
  },
  attach_script: {
    kind: "script",
    takes: { ...EDITS.script.takes, script: z.string().exactOptional() },
    members: ({ script = null, ...args }) => ({ ...args, script }),
  },
  set_unique_name: {
    kind: "unique_name",
    takes: { ...uniqueNode, on },
    members: ({ on: unique = true, ...args }) => ({ ...args, unique }),
  },
  set_editable: {
    kind: "editable",
    takes: { ...editableNode, on },
    members: ({ on: editable = true, ...args }) => ({ ...args, editable }),
  },
  set_tiles: {
    kind: "tiles",
    takes: { ...tiledNode, tiles },
    members: ({ tiles: cells = [], ...args }) => ({ ...args, cells }),
  },
  connect_signal: { kind: "connect", takes: EDITS.connect.takes, members: same },
  disconnect_signal: { kind: "disconnect", takes: EDITS.disconnect.takes, members: same },
  "groups.add": { kind: "group", takes: grouped, members: (args) => ({ ...args, member: true }) },
  "groups.remove": { kind: "group", takes: grouped, members: (args) => ({ ...args, member: false }) },
  "animation.create_simple": { kind: "animation", takes: EDITS.animation.takes, members: same },
};

const isRenamed = (kind: EditKind) => Object.values(ACTIONS).some((word) => word.kind === kind);

/** The edit names of a batch: those of the actions that do one edit. */
const WORDS: readonly string[] = [
  ...Object.keys(ACTIONS),
  ...KINDS.filter((kind) => !isRenamed(kind) && !OF_ACTIONS.includes(kind)),
];

/**
 * The edit for a name. The kinds in answers (`changes[].kind`) are accepted too, with the arguments of
 * the drivers: `given` distinguishes them if the name is the same.
 */
function wordOf(word: string, given: readonly string[] = []): Word | undefined {
  const action = Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined;
  const kind = KINDS.find((each) => each === word && !OF_ACTIONS.includes(each));
  const ofDrivers = kind && { kind, takes: EDITS[kind].takes, members: same };
  if (action === undefined || ofDrivers === undefined) return action ?? ofDrivers;
  const isOfDrivers = given.some((name) => !Object.hasOwn(action.takes, name));
  return isOfDrivers && given.every((name) => Object.hasOwn(ofDrivers.takes, name)) ? ofDrivers : action;
}

/** The required and optional members of an edit. */
function membersOf(takes: z.ZodRawShape) {
  // Edits declare their members with schemas of this kind.
  const members = Object.entries(takes as Readonly<Record<string, z.ZodType>>);
  const needs = members.filter(([, schema]) => !isOptional(schema)).map(([name]) => name);
  const may = members.filter(([, schema]) => isOptional(schema)).map(([name]) => name);
  return { needs, may };
}

function isOptional(schema: z.ZodType): boolean {
  return schema instanceof z.ZodExactOptional;
}

/** The arguments of a node that is created with its children. */
interface CreateArguments extends NodeSpec {
  readonly parent?: string;
  readonly index?: number;
  readonly as?: string;
}

/** Every edit of a batch with its required and optional members. */
export const editForms: readonly string[] = WORDS.map((name) => {
  const { needs, may } = membersOf(wordOf(name)?.takes ?? {});
  return `${name} {${[...needs, ...may.map((member) => `${member}?`)].join(", ")}}`;
});

const word = z.string().optional();

/** The arguments of all edits; each call is checked for those of its kind. */
export const item = z.looseObject({
  // Clients require types for everything, and those of set_property's value would be long here: update does the same.
  kind: z.string().meta({ enum: WORDS.filter((name) => name !== "set_property") }),
  node: word,
  parent: word,
  name: word,
  newName: word,
  type: word,
  source: word,
  // Null detaches it in the drivers' notation; clients refuse a union of types.
  script: z.unknown().meta({ type: "string" }).optional(),
  index: z.int().optional(),
  properties: p.anyObject.optional(),
  property: word,
  group: word,
  signal: word,
  to: word,
  method: word,
  tiles: z.array(p.anyObject).optional(),
  on: z.boolean().optional(),
  player: word,
  animation: word,
  keys: z.array(p.anyObject).optional(),
  as: word,
});

export const batchTool = product.defineTool({
  name: "godot_batch",
  title: "Many scene edits at once",
  description:
    'Make many edits of one scene as one undo step: all or none. An edit is an action of godot_scene or godot_inspector as kind, with its arguments. A node made with "as": "a" is "$a" in later edits.',
  category: "batch",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["project", "workspace"],
  errors: ANY_CODE,
  deadlineMs: 120_000,
  effect: "update",
  input: z.strictObject({
    scene: p.scene,
    edits: z.array(item).min(1).max(1000).describe("In order"),
    label: z.string().max(200).optional().describe("Undo step"),
    mode: p.mode,
  }),
  output: sceneEdited,
  handler: async ({ edits, label, ...input }, context) => {
    const checked = await checkedEdits(edits);
    if (!checked.ok) return checked;
    return editSceneFile(context, input, label ?? `batch of ${edits.length}`, checked.value);
  },
});

/** The edits of a batch, if each has the members that its kind takes. */
export async function checkedEdits(
  edits: readonly z.infer<typeof item>[],
): Promise<Result<readonly SceneEdit[], "E_SCHEMA_VALIDATION">> {
  const checked: SceneEdit[] = [];
  for (const [index, { kind, ...args }] of edits.entries()) {
    const names = Object.keys(args);
    const word = wordOf(kind, names);
    if (word === undefined)
      return unknownName(
        "E_SCHEMA_VALIDATION",
        `Edit ${index + 1}: there is no edit "${kind.slice(0, 40)}".`,
        kind,
        WORDS,
      );
    const { needs, may } = membersOf(word.takes);
    const missing = needs.filter((name) => !names.includes(name));
    const stray = names.filter((name) => !needs.includes(name) && !may.includes(name));
    const what = [
      ...(missing.length > 0 ? [`needs ${missing.join(", ")}`] : []),
      ...(stray.length > 0 ? [`does not take ${stray.join(", ")}`] : []),
    ];
    if (what.length > 0)
      return errors.fail("E_SCHEMA_VALIDATION", `Edit ${index + 1}: ${kind} ${what.join(" and ")}.`, {
        details: { edit: index, needs, takes: may },
      });
    const valid = p.checked(`edits.${index}`, z.object(word.takes), args);
    if (!valid.ok) return valid;
    // Arguments came as JSON, and vectors in them have one notation now.
    const given = valid.value as JsonObject;
    if (kind === "create" && (given.children !== undefined || given.primitive !== undefined)) {
      const { parent, index: at, as: label, ...spec } = given as JsonObject & CreateArguments;
      const whole = await withBodies(spec);
      if (!whole.ok) return whole;
      checked.push(...editsFor(whole.value, { parent, index: at }, label ?? `edit${index}`));
      continue;
    }
    // The edit has the members of its kind and no other.
    checked.push({ kind: word.kind, ...word.members(given) } as unknown as SceneEdit);
  }
  return ok(checked);
}
