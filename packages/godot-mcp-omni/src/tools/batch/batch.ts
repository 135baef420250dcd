import type { Failure } from "@toolpact/contract";
import { type Outcome, ok } from "@toolpact/outcome";
import * as z from "zod";
import type { SceneEdit } from "../../drivers/scene-edit.ts";
import { errors } from "../../errors.ts";
import { ANY_CODE } from "../codes.ts";
import { editSceneFile } from "../edit-scene.ts";
import * as p from "../params.ts";
import { product } from "../product.ts";
import { sceneEdited } from "../shapes.ts";

type Member = Exclude<keyof z.infer<typeof edit>, "kind">;

interface EditRow {
  readonly needs: readonly Member[];
  readonly takes?: readonly Member[];
}

const EDITS: Readonly<Record<SceneEdit["kind"], EditRow>> = {
  add: { needs: ["type"], takes: ["parent", "name", "index", "properties", "groups", "script", "as"] },
  instance: { needs: ["source"], takes: ["parent", "name", "index", "properties", "as"] },
  remove: { needs: ["node"] },
  rename: { needs: ["node", "name"] },
  move: { needs: ["node", "index"] },
  duplicate: { needs: ["node"], takes: ["name", "as"] },
  reparent: { needs: ["node", "parent"], takes: ["index", "keepGlobalTransform"] },
  set: { needs: ["node", "properties"] },
  script: { needs: ["node", "script"] },
  group: { needs: ["node", "group", "member"] },
  unique_name: { needs: ["node", "unique"] },
  editable: { needs: ["node", "editable"] },
  connect: { needs: ["node", "signal", "to", "method"], takes: ["flags", "binds", "unbinds"] },
  disconnect: { needs: ["node", "signal", "to", "method"] },
  tiles: { needs: ["node", "cells"] },
  animation: { needs: ["player", "animation", "node", "property", "keys"], takes: ["length", "replace"] },
};

// The keys of the table are the kinds, and there are some.
const KINDS = Object.keys(EDITS) as [SceneEdit["kind"], ...SceneEdit["kind"][]];

/** One edit with all members that any kind takes; the table above says which kind takes which. */
const edit = z.strictObject({
  kind: z.enum(KINDS),
  node: z.string().optional(),
  as: z.string().regex(/^\w+$/).optional(),
  type: z.string().optional(),
  source: z.string().optional(),
  parent: z.string().optional(),
  name: z.string().optional(),
  index: z.int().min(0).optional(),
  properties: p.anyObject.optional(),
  groups: z.array(z.string()).optional(),
  script: z.string().nullable().optional(),
  keepGlobalTransform: z.boolean().optional(),
  group: z.string().optional(),
  member: z.boolean().optional(),
  unique: z.boolean().optional(),
  editable: z.boolean().optional(),
  signal: z.string().optional(),
  to: z.string().optional(),
  method: z.string().optional(),
  flags: z.array(z.enum(["deferred", "one_shot", "reference_counted"])).optional(),
  binds: z.array(z.unknown()).optional(),
  unbinds: z.int().optional(),
  cells: z.array(p.tile).optional(),
  player: z.string().optional(),
  animation: z.string().optional(),
  property: z.string().optional(),
  keys: z.array(p.animationKey).min(1).optional(),
  length: z.number().optional(),
  replace: z.boolean().optional(),
});

const TABLE = Object.entries(EDITS)
  .map(
    ([kind, { needs, takes = [] }]) =>
      `${kind}(${[...needs, ...takes.map((name) => `${name}?`)].join(", ")})`,
  )
  .join(", ");

export const batchTool = product.defineTool({
  name: "godot_batch",
  title: "Many scene edits at once",
  describe: `Make many edits of one scene as one undo step: all or none. A later edit can name what an earlier one made: {"kind": "add", "type": "Node2D", "as": "a"}, then "parent": "$a". Edits: ${TABLE}.`,
  category: "batch",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["project", "godots"],
  errors: ANY_CODE,
  deadlineMs: 120_000,
  effect: "update",
  input: z.strictObject({
    scene: p.scene,
    edits: z.array(p.anyObject).min(1).max(1000).describe("Edits in order"),
    label: z.string().max(200).optional().describe("Name of the undo step"),
    mode: p.mode,
  }),
  output: sceneEdited,
  run: ({ edits, label, ...input }, context) => {
    const checked = checkedEdits(edits);
    if (!checked.ok) return checked;
    return editSceneFile(context, input, label ?? `batch of ${edits.length}`, checked.value);
  },
});

function checkedEdits(
  given: readonly unknown[],
): Outcome<readonly SceneEdit[], Failure<"E_SCHEMA_VALIDATION">> {
  const edits = p.checkedItems("edits", edit, given);
  if (!edits.ok) return edits;
  for (const [index, { kind, ...given }] of edits.value.entries()) {
    const { needs, takes = [] } = EDITS[kind];
    const members = Object.keys(given) as Member[];
    const missing = needs.filter((name) => !members.includes(name));
    const stray = members.filter((name) => !needs.includes(name) && !takes.includes(name));
    if (missing.length === 0 && stray.length === 0) continue;
    const what = [
      ...(missing.length > 0 ? [`needs ${missing.join(", ")}`] : []),
      ...(stray.length > 0 ? [`does not take ${stray.join(", ")}`] : []),
    ];
    return errors.fail("E_SCHEMA_VALIDATION", `Edit ${index + 1}: ${kind} ${what.join(" and ")}.`, {
      details: { edit: index, needs, takes },
    });
  }
  // Every edit has the members of its kind and no other; their values are checked where they are used.
  return ok(edits.value as unknown as readonly SceneEdit[]);
}
