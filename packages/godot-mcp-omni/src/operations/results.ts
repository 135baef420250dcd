import * as z from "zod";
import { count, isTrue, json, jsonObject, list, maybe, place, severity, text } from "../shapes.ts";
import { connection, KINDS } from "./scene-edit.ts";

export const problem = place.extend({ severity, message: text });

export const propertyChange = z.strictObject({ name: text, type: text, old: json, new: json });

export const sceneChange = z.strictObject({
  kind: z.enum(KINDS),
  /** The path of the node after the whole batch; the old path for a removed node. */
  node: text,
  type: maybe,
  properties: list(propertyChange).exactOptional(),
  /** Properties whose value was not saved: an animation called RESET set them back. */
  notSaved: list(text).exactOptional(),
  /** The path of the node before a rename, move or reparent. */
  from: maybe,
  index: count.exactOptional(),
});

const nodeDifference = z.strictObject({
  node: text,
  /** A property, or `name`, `type`, `instance`, `groups`, `order of children`, `editable children`. */
  what: text,
  /** In Godot's text; null if it was not set. */
  old: text.nullable(),
  new: text.nullable(),
});

/** The difference between the file before and after the edit; empty lists are left out. */
const sceneDifference = z.strictObject({
  added: list(text).exactOptional(),
  removed: list(text).exactOptional(),
  changed: list(nodeDifference).exactOptional(),
  connected: list(text).exactOptional(),
  disconnected: list(text).exactOptional(),
});

/** The result of any edit of a scene. */
export const sceneEdited = z.strictObject({
  scene: text,
  changes: list(sceneChange),
  difference: sceneDifference,
  /** Script lines whose node path is now broken; find and replace are for godot_code file.edit. */
  usedBy: list(z.strictObject({ path: text, line: count, find: text, replace: maybe })).exactOptional(),
  saved: z.literal(true),
});

/** Facts about a node of a scene. */
const nodeFacts = z.strictObject({
  type: text,
  script: maybe,
  /** The scene this node is an instance of. */
  instance: maybe,
  /** The node comes from the base scene or an instance and is not this scene's own. */
  inherited: isTrue,
  unique: isTrue,
  groups: list(text).exactOptional(),
});

export interface TreeNode extends z.infer<typeof nodeFacts> {
  name: string;
  children?: readonly TreeNode[];
}

const treeNode: z.ZodType<TreeNode, TreeNode> = z
  .strictObject({
    name: text,
    ...nodeFacts.shape,
    children: list(z.lazy(() => treeNode)).exactOptional(),
  })
  .meta({ id: "TreeNode" });

export const sceneTree = z.strictObject({
  scene: text,
  inherits: maybe,
  root: treeNode,
  nodes: count,
  /** True if depth or limit left nodes out. */
  truncated: z.boolean(),
});

const foundNode = z.strictObject({ node: text, ...nodeFacts.shape });
export const nodesFound = z.strictObject({ scene: text, nodes: list(foundNode), total: count });

export const inspection = z.strictObject({
  ...nodeFacts.shape,
  node: maybe,
  scene: maybe,
  path: maybe,
  connections: list(connection).exactOptional(),
  properties: jsonObject,
  /** The number of properties left out because they hold their default. */
  defaults: count,
});

const members = z.strictObject({ type: text, total: count });
const member = z.strictObject({ name: text, from: text });
const parameters = list(z.strictObject({ name: text, type: text, default: json.exactOptional() }));

const propertyInfo = member.extend({
  /** Variant type, class of an object, or `Array[int]`. */
  type: text,
  hint: maybe,
  default: json.exactOptional(),
  readOnly: isTrue,
});
const methodInfo = member.extend({
  args: parameters,
  returns: text,
  flags: list(z.enum(["const", "static", "virtual", "vararg"])).exactOptional(),
});
const signalInfo = member.extend({ args: parameters });

export const propertyList = members.extend({ properties: list(propertyInfo) });
export const methodList = members.extend({ methods: list(methodInfo) });
export const signalList = members.extend({ signals: list(signalInfo) });
export const connectionList = z.strictObject({ scene: text, connections: list(connection) });

export const settingValues = z.strictObject({ settings: jsonObject, unknown: list(text) });
export const settingsChanged = z.strictObject({ changed: list(propertyChange) });

const device = z.int().exactOptional();
export const inputEvent = z.discriminatedUnion("type", [
  /** `key` is a name as the engine prints it: `Space`, `A`, `Ctrl+S`. */
  z.strictObject({ type: z.literal("key"), key: text, physical: z.boolean().exactOptional() }),
  z.strictObject({ type: z.literal("mouse"), button: z.int() }),
  z.strictObject({ type: z.literal("joy_button"), button: z.int(), device }),
  z.strictObject({ type: z.literal("joy_axis"), axis: z.int(), value: z.number(), device }),
]);

/** An event of another class, read-only, such as `InputEventMIDI`. */
const otherInputEvent = z.strictObject({ type: z.templateLiteral(["InputEvent", z.string()]) });

const inputAction = z.strictObject({
  name: text,
  deadzone: z.number().exactOptional(),
  events: list(z.union([...inputEvent.options, otherInputEvent])),
});

export const inputActions = z.strictObject({ actions: list(inputAction) });
export const inputMapChanged = inputActions.extend({ removed: list(text) });

export const resourceId = z.strictObject({ path: text, uid: text.nullable() });

/** A step of the editor's history. */
export const editorStep = z.strictObject({
  scene: text,
  step: text,
  saved: z.boolean(),
  canUndo: z.boolean(),
  canRedo: z.boolean(),
  /** The scene had unsaved changes in the editor. */
  hadUnsaved: z.literal(true).exactOptional(),
  /** The current number of steps in the scene's history. */
  position: z.int(),
});

export const openScenes = z.strictObject({
  scenes: list(z.strictObject({ scene: text, unsaved: z.boolean() })),
});

export const editorState = z.strictObject({
  version: text,
  ...openScenes.shape,
  current: text.nullable(),
  selection: list(text),
  playing: text.nullable(),
  scripts: list(text),
  headless: z.boolean(),
  scanning: z.boolean(),
});

export const logEntry = z.strictObject({
  index: count,
  severity: z.enum(["info", "warning", "error", "script_error", "shader_error"]),
  message: text,
  path: maybe,
  line: z.int().exactOptional(),
});

export const logPage = z.strictObject({
  entries: list(logEntry),
  next: count,
  lost: count,
});

export type Problem = z.infer<typeof problem>;
export type PropertyChange = z.infer<typeof propertyChange>;
export type SceneChange = z.infer<typeof sceneChange>;
export type SceneEdited = z.infer<typeof sceneEdited>;
export type NodeDifference = z.infer<typeof nodeDifference>;
export type FoundNode = z.infer<typeof foundNode>;
export type Inspection = z.infer<typeof inspection>;
export type SceneTree = z.infer<typeof sceneTree>;
export type PropertyInfo = z.infer<typeof propertyInfo>;
export type SignalInfo = z.infer<typeof signalInfo>;
export type InputEvent = z.infer<typeof inputEvent>;
export type OtherInputEvent = z.infer<typeof otherInputEvent>;
export type ListedInputAction = z.infer<typeof inputAction>;
export type InputAction = Omit<ListedInputAction, "events"> & { events: readonly InputEvent[] };
