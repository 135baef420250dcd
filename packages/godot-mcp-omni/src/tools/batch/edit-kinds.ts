import type { JsonObject } from "@toolpact/contract";
import * as z from "zod";
import { EDITS, type EditKind, KINDS, OF_ACTIONS } from "../../operations/scene-edit.ts";
import { json } from "../../shapes.ts";

/** How an action of godot_scene or godot_inspector is said as an edit of a batch: with the same word and arguments. */
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

/** Words of actions that edits have under another name, or with other arguments. */
const ACTIONS: Readonly<Record<string, Word>> = {
  create: { kind: "add", takes: EDITS.add.takes, members: same },
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

/** The words of a batch, which are those of the actions that do one edit. */
export const WORDS: readonly string[] = [
  ...Object.keys(ACTIONS),
  ...KINDS.filter((kind) => !isRenamed(kind) && !OF_ACTIONS.includes(kind)),
];

/**
 * The edit that a word means. What an answer calls an edit (`changes[].kind`) is understood too, with the arguments of
 * the drivers: `given` tells them apart where the word is the same.
 */
export function wordOf(word: string, given: readonly string[] = []): Word | undefined {
  const action = Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined;
  const kind = KINDS.find((each) => each === word && !OF_ACTIONS.includes(each));
  const ofDrivers = kind && { kind, takes: EDITS[kind].takes, members: same };
  if (action === undefined || ofDrivers === undefined) return action ?? ofDrivers;
  const isOfDrivers = given.some((name) => !Object.hasOwn(action.takes, name));
  return isOfDrivers && given.every((name) => Object.hasOwn(ofDrivers.takes, name)) ? ofDrivers : action;
}
