import type { Failure } from "@toolpact/contract";
import { type Outcome, ok } from "@toolpact/outcome";
import * as z from "zod";
import { sceneEdited } from "../../drivers/answers.ts";
import { EDITS, type EditKind, KINDS, type SceneEdit } from "../../drivers/scene-edit.ts";
import { errors } from "../../errors.ts";
import { ANY_CODE } from "../codes.ts";
import { editSceneFile } from "../edit-scene.ts";
import * as p from "../params.ts";
import { product } from "../product.ts";

/** The members that edits of a kind need, and those they may have. */
function membersOf(kind: EditKind) {
  const members = Object.entries<z.ZodType>(EDITS[kind].takes);
  const needs = members.filter(([, schema]) => !isOptional(schema)).map(([name]) => name);
  const takes = members.filter(([, schema]) => isOptional(schema)).map(([name]) => name);
  return { needs, takes };
}

function isOptional(schema: z.ZodType): boolean {
  return schema instanceof z.ZodExactOptional;
}

const TABLE = KINDS.map((kind) => {
  const { needs, takes } = membersOf(kind);
  return `${kind}(${[...needs, ...takes.map((name) => `${name}?`)].join(", ")})`;
}).join(", ");

/** The members that most edits have; those of each kind are checked when the call comes. */
const item = z.looseObject({
  kind: z.enum(KINDS),
  node: z.string().optional(),
  parent: z.string().optional(),
  name: z.string().optional(),
  type: z.string().optional(),
  properties: p.anyObject.optional(),
});

export const batchTool = product.defineTool({
  name: "godot_batch",
  title: "Many scene edits at once",
  describe: `Make many edits of one scene as one undo step: all or none. Later edits call a node made with "as": "a" "$a". Edits: ${TABLE}.`,
  category: "batch",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["project", "godots"],
  errors: ANY_CODE,
  deadlineMs: 120_000,
  effect: "update",
  input: z.strictObject({
    scene: p.scene,
    edits: z.array(item).min(1).max(1000).describe("Edits in order"),
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
  edits: readonly z.infer<typeof item>[],
): Outcome<readonly SceneEdit[], Failure<"E_SCHEMA_VALIDATION">> {
  for (const [index, { kind, ...members }] of edits.entries()) {
    const { needs, takes } = membersOf(kind);
    const names = Object.keys(members);
    const missing = needs.filter((name) => !names.includes(name));
    const stray = names.filter((name) => !needs.includes(name) && !takes.includes(name));
    const what = [
      ...(missing.length > 0 ? [`needs ${missing.join(", ")}`] : []),
      ...(stray.length > 0 ? [`does not take ${stray.join(", ")}`] : []),
    ];
    if (what.length > 0)
      return errors.fail("E_SCHEMA_VALIDATION", `Edit ${index + 1}: ${kind} ${what.join(" and ")}.`, {
        details: { edit: index, needs, takes },
      });
    const checked = p.checked(`edits.${index}`, z.object(EDITS[kind].takes), members);
    if (!checked.ok) return checked;
  }
  // Every edit has the members of its kind and no other.
  return ok(edits as unknown as readonly SceneEdit[]);
}
