import type { Json, JsonObject } from "@toolpact/contract";
import * as z from "zod";
import type { DriverContext } from "../../drivers/ask.ts";
import { errors } from "../../errors.ts";
import type { sceneEdited } from "../../operations/results.ts";
import { follow, pathBetween } from "../../scene-model/scene-tree.ts";
import { editSceneFile } from "../edit-scene.ts";
import { inspect } from "../inspector/inspect.ts";
import * as p from "../params.ts";
import type { ToolAnswer } from "../product.ts";

const SWITCHES = ["immediate", "sync", "at_end"] as const;
const ADVANCES = ["disabled", "enabled", "auto"] as const;

const point1d = z.strictObject({ at: z.number(), animation: z.string() });
const point2d = z.strictObject({ at: z.tuple([z.number(), z.number()]), animation: z.string() });

interface Machine {
  readonly states: readonly (Part & { readonly name: string })[];
  readonly transitions: readonly z.infer<typeof transition>[];
}

/** Content of a state: one animation, a mix by position, or a separate machine. */
interface Part {
  readonly animation?: string | undefined;
  readonly blend1d?: readonly z.infer<typeof point1d>[] | undefined;
  readonly blend2d?: readonly z.infer<typeof point2d>[] | undefined;
  readonly machine?: Machine | undefined;
}

const transition = z.strictObject({
  from: z.string(),
  to: z.string(),
  condition: z.string().optional(),
  expression: z.string().optional(),
  advance: z.enum(ADVANCES).optional(),
  fade: z.number().min(0).default(0),
  switch: z.enum(SWITCHES).default("immediate"),
  priority: z.int().min(0).default(1),
});

const part: z.ZodType<Part> = z.lazy(() =>
  z.strictObject({
    animation: z.string().optional(),
    blend1d: z.array(point1d).min(1).optional(),
    blend2d: z.array(point2d).min(1).optional(),
    machine: machine.optional(),
  }),
);
const machine: z.ZodType<Machine> = z.lazy(() =>
  z.strictObject({
    states: z
      .array(z.intersection(z.looseObject({ name: z.string().regex(/^[^/:.]+$/) }), z.looseObject({})))
      .min(1)
      .transform((states, context) =>
        states.map(({ name, ...rest }) => {
          const parsed = part.safeParse(rest);
          if (!parsed.success)
            context.addIssue({
              code: "custom",
              message: `state ${name}: ${parsed.error.issues[0]?.message ?? "is wrong"}`,
            });
          return { name, ...(parsed.data ?? {}) };
        }),
      ),
    transitions: z.array(transition).default([]),
  }),
);

export const treeInput = z.strictObject({
  scene: p.scene,
  player: z.string().describe("AnimationPlayer's path"),
  node: p.node.optional(),
  name: p.name.optional(),
  parent: p.parent.optional(),
  root: p.anyObject.describe(
    'One of {machine: {states: [{name, animation or blend1d or blend2d or machine}], transitions: [{from: "Start", to, condition, expression, advance: "auto", fade, switch: "at_end", priority}]}}, {blend1d: [{at: 0, animation}]}, {blend2d: [{at: [0, 1], animation}]}',
  ),
  mode: p.mode,
});

/** Creates an AnimationTree, or replaces the root of an existing one. */
export async function makeTree(
  context: DriverContext,
  input: z.infer<typeof treeInput>,
): Promise<ToolAnswer<z.infer<typeof sceneEdited>>> {
  const root = p.checked("root", part, input.root);
  if (!root.ok) return root;
  const wrong = problemOf(root.value);
  if (wrong !== undefined) return errors.fail("E_SCHEMA_VALIDATION", `root: ${wrong}`);
  const { scene, mode, player, node, name = "AnimationTree", parent = "." } = input;
  // A missing player would only be noticed in the game.
  const found = await inspect(context, { scene, mode, node: player, fields: [] });
  if (!found.ok) return found;
  const self = node ?? follow(parent, name);
  const properties: JsonObject = {
    tree_root: animationNode(root.value),
    anim_player: pathBetween(self, player),
  };
  return editSceneFile(
    context,
    { scene, mode },
    `animation tree ${self}`,
    node === undefined
      ? [{ kind: "add", type: "AnimationTree", name, parent, properties }]
      : [{ kind: "set", node, properties }],
  );
}

function problemOf(given: Part): string | undefined {
  const kinds = [given.animation, given.blend1d, given.blend2d, given.machine].filter(
    (kind) => kind !== undefined,
  );
  if (kinds.length !== 1) return "exactly one of animation, blend1d, blend2d and machine is needed.";
  if (given.machine === undefined) return undefined;
  const { states, transitions } = given.machine;
  const names = new Set(["Start", "End", ...states.map(({ name }) => name)]);
  if (names.size !== states.length + 2) return "two states have the same name.";
  const stray = transitions.flatMap(({ from, to }) => [from, to]).find((name) => !names.has(name));
  if (stray !== undefined) return `there is no state "${stray}".`;
  for (const state of states) {
    const inner = problemOf(state);
    if (inner !== undefined) return `state ${state.name}: ${inner}`;
  }
  return undefined;
}

const made = (resource: string, properties: JsonObject): JsonObject => ({ resource, properties });
const clip = (animation: string) => made("AnimationNodeAnimation", { animation });

function animationNode(given: Part): JsonObject {
  if (given.animation !== undefined) return clip(given.animation);
  if (given.machine !== undefined) return stateMachine(given.machine);
  const points: Record<string, Json> = {};
  for (const [index, { at, animation }] of (given.blend1d ?? given.blend2d ?? []).entries()) {
    points[`blend_point_${index}/node`] = clip(animation);
    points[`blend_point_${index}/pos`] = at;
  }
  const places = (given.blend1d ?? given.blend2d ?? []).flatMap(({ at }) => at);
  const [low, high] = [Math.min(...places, -1), Math.max(...places, 1)];
  return given.blend1d !== undefined
    ? made("AnimationNodeBlendSpace1D", { ...points, min_space: low, max_space: high })
    : made("AnimationNodeBlendSpace2D", { ...points, min_space: [low, low], max_space: [high, high] });
}

function stateMachine({ states, transitions }: Machine): JsonObject {
  const properties: Record<string, Json> = {};
  for (const [index, state] of states.entries()) {
    properties[`states/${state.name}/node`] = animationNode(state);
    // Side by side, to make every state visible in the editor.
    properties[`states/${state.name}/position`] = [
      200 + (index % 4) * 200,
      100 + Math.floor(index / 4) * 120,
    ];
  }
  const links = transitions.flatMap((link): Json[] => [
    link.from,
    link.to,
    made("AnimationNodeStateMachineTransition", {
      ...(link.fade > 0 && { xfade_time: link.fade }),
      ...(link.switch !== "immediate" && { switch_mode: SWITCHES.indexOf(link.switch) }),
      advance_mode: ADVANCES.indexOf(advanceOf(link)),
      ...(link.condition !== undefined && { advance_condition: link.condition }),
      ...(link.expression !== undefined && { advance_expression: link.expression }),
      ...(link.priority !== 1 && { priority: link.priority }),
    }),
  ]);
  return made("AnimationNodeStateMachine", {
    ...properties,
    ...(links.length > 0 && { transitions: links }),
  });
}

/** A transition with a condition, and the one from the start, happen automatically. */
function advanceOf({
  advance,
  condition,
  expression,
  from,
}: z.infer<typeof transition>): (typeof ADVANCES)[number] {
  return (
    advance ?? (condition !== undefined || expression !== undefined || from === "Start" ? "auto" : "enabled")
  );
}
