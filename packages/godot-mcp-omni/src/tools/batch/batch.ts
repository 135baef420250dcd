import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type Result, unknownName } from "../../errors.ts";
import { sceneEdited } from "../../operations/results.ts";
import type { SceneEdit } from "../../operations/scene-edit.ts";
import { ANY_CODE } from "../codes.ts";
import { editSceneFile } from "../edit-scene.ts";
import * as p from "../params.ts";
import { product } from "../product.ts";
import { WORDS, wordOf } from "./edit-kinds.ts";

/** The members that an edit needs, and those it may have. */
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

const word = z.string().optional();

/** The arguments that edits have; which of them each takes is checked when the call comes. */
const item = z.looseObject({
  // Clients want the types of everything, and those of set_property's value would be long here: update does the same.
  kind: z.string().meta({ enum: WORDS.filter((name) => name !== "set_property") }),
  node: word,
  parent: word,
  name: word,
  newName: word,
  type: word,
  source: word,
  // Null detaches it, where an edit is said as the drivers do; clients refuse a union of types.
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
  handler: ({ edits, label, ...input }, context) => {
    const checked = checkedEdits(edits);
    if (!checked.ok) return checked;
    return editSceneFile(context, input, label ?? `batch of ${edits.length}`, checked.value);
  },
});

function checkedEdits(
  edits: readonly z.infer<typeof item>[],
): Result<readonly SceneEdit[], "E_SCHEMA_VALIDATION"> {
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
    // The edit has the members of its kind and no other.
    checked.push({ kind: word.kind, ...word.members(p.asObject(args) ?? {}) } as unknown as SceneEdit);
  }
  return ok(checked);
}
