import * as z from "zod";
import type { TreeNode } from "../drivers/answers.ts";

/** Shapes that the results of several actions share. Strict: a member that is not declared is a defect. */

/** A list that is only read. */
export function list<T extends z.ZodType>(item: T): z.ZodType<readonly z.output<T>[], readonly z.input<T>[]> {
  return z.array(item);
}

export const text = z.string();
export const count = z.int().min(0);
const maybe = text.exactOptional();

/** Any JSON value: what a property or an expression holds. */
export const json = z.unknown();
export const jsonObject = z.record(z.string(), json);

export const severity = z.enum(["error", "warning"]);

/** A line of a file. */
export const place = z.strictObject({ path: text, line: z.int() });
export const problem = place.extend({ severity, message: text });

export const propertyChange = z.strictObject({ name: text, type: text, old: json, new: json });

const sceneChange = z.strictObject({
  kind: z.enum([
    "add",
    "instance",
    "remove",
    "rename",
    "move",
    "duplicate",
    "reparent",
    "set",
    "script",
    "group",
    "unique_name",
    "editable",
    "connect",
    "disconnect",
    "tiles",
    "animation",
  ]),
  node: text,
  type: maybe,
  properties: list(propertyChange).exactOptional(),
  notSaved: list(text).exactOptional(),
  from: maybe,
  index: count.exactOptional(),
});

/** What the file on the disk says now that it did not say before; empty lists are left out. */
const sceneDifference = z.strictObject({
  added: list(text).exactOptional(),
  removed: list(text).exactOptional(),
  changed: list(
    z.strictObject({ node: text, what: text, old: text.nullable(), new: text.nullable() }),
  ).exactOptional(),
  connected: list(text).exactOptional(),
  disconnected: list(text).exactOptional(),
});

/** What every edit of a scene answers. */
export const sceneEdited = z.strictObject({
  scene: text,
  changes: list(sceneChange),
  difference: sceneDifference,
  saved: z.literal(true),
});

const isTrue = z.literal(true).exactOptional();

/** What is known of a node of a scene. */
export const nodeMarks = {
  type: text,
  script: maybe,
  instance: maybe,
  inherited: isTrue,
  unique: isTrue,
  groups: list(text).exactOptional(),
};

const treeNode: z.ZodType<TreeNode, TreeNode> = z
  .strictObject({
    name: text,
    ...nodeMarks,
    children: list(z.lazy(() => treeNode)).exactOptional(),
  })
  .meta({ id: "TreeNode" });

export const sceneTree = z.strictObject({
  scene: text,
  inherits: maybe,
  root: treeNode,
  nodes: count,
  truncated: z.boolean(),
});

export const openScenes = list(z.strictObject({ scene: text, unsaved: z.boolean() }));

export const connection = z.strictObject({
  node: text,
  signal: text,
  to: text,
  method: text,
  flags: list(z.enum(["deferred", "one_shot", "reference_counted"])).exactOptional(),
  binds: list(json).exactOptional(),
  unbinds: count.exactOptional(),
});

/** A function on the stack of a script. */
export const stackFrame = place.extend({ function: text });

/** The same in test results and logs of the engine. */
export const fileFrame = z.strictObject({ file: text, line: z.int(), function: text });
