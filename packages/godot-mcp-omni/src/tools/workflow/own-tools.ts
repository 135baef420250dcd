import type { Json, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { ask, type DriverContext } from "../../drivers/ask.ts";
import { errors, type Result, unknownName } from "../../errors.ts";
import type { Mode } from "../../operations/driver.ts";
import { sceneEdited } from "../../operations/results.ts";
import { json, list, maybe, text } from "../../shapes.ts";
import { type OwnTool, ownTools, signatureOf } from "../../workspace/own-tools.ts";
import { checkedEdits, item } from "../batch/batch.ts";
import { editSceneFile } from "../edit-scene.ts";
import { checkedItems } from "../params.ts";
import { count, type ToolAnswer } from "../product.ts";

export const ownToolList = z.strictObject({
  tools: list(
    z.strictObject({
      tool: text,
      description: text,
      parameters: list(z.strictObject({ name: text, type: text, default: maybe })),
      path: text,
      line: z.int(),
    }),
  ),
});

export const ownToolCalled = z.strictObject({
  tool: text,
  value: json,
  /** The edits that the function returned. */
  edited: sceneEdited.exactOptional(),
});

export async function listOwnTools({
  project,
}: Pick<DriverContext, "project">): Promise<ToolAnswer<z.input<typeof ownToolList>, never>> {
  const tools = await ownTools(project);
  return ok(
    { tools: tools.map(({ function: _, ...tool }) => tool) },
    {
      summary:
        tools.length === 0
          ? "None: static functions of scripts in res://mcp_tools are tools."
          : `${count(tools.length, "tool")} of the project.`,
    },
  );
}

interface OwnCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly scene?: string | undefined;
  readonly mode?: Mode | undefined;
}

/** Calls a function of the project in the engine, and applies the edits that it returns. */
export async function callOwnTool(
  context: DriverContext,
  { tool, args, scene, mode }: OwnCall,
): Promise<ToolAnswer<z.input<typeof ownToolCalled>>> {
  const found = await findOwnTool(context, tool, args);
  if (!found.ok) return found;
  const place = scene === undefined ? undefined : await context.project.resolve(scene);
  if (place !== undefined && !place.ok) return place;
  const { path, function: name } = found.value;
  const called = await ask(context, "engine", "tool.call", {
    ...{ path, function: name, args },
    ...(place !== undefined && { scene: place.value.res }),
  });
  if (!called.ok) return called;
  const { value, edits, scene: own } = called.value.value;
  const done = { tool, value };
  if (edits === undefined)
    return ok(done, {
      summary: `${tool} returned ${JSON.stringify(value).slice(0, 90)}.`,
      execution: { mode: called.value.mode },
    });
  const target = own ?? place?.value.res;
  const checked = await editsOf(edits, target);
  if (!checked.ok) return checked;
  if (checked.value.length === 0)
    return ok(done, { summary: `${tool} asked for no edits.`, execution: { mode: called.value.mode } });
  const edited = await editSceneFile(context, { scene: target, mode }, `tool ${tool}`, checked.value);
  if (!edited.ok) return edited;
  return ok(
    { ...done, edited: edited.value },
    { ...edited.notes, summary: `${tool}: ${edited.notes?.summary ?? ""}` },
  );
}

/** The function of a tool, if it exists and accepts these arguments. */
async function findOwnTool(
  { project }: DriverContext,
  tool: string,
  args: JsonObject,
): Promise<Result<OwnTool, "E_NOT_FOUND" | "E_SCHEMA_VALIDATION">> {
  const tools = await ownTools(project);
  const found = tools.find((each) => each.tool === tool);
  if (found === undefined)
    return unknownName(
      "E_NOT_FOUND",
      `The project has no tool "${tool.slice(0, 80)}" in res://mcp_tools.`,
      tool,
      tools.map((each) => each.tool),
    );
  const names = found.parameters.map(({ name }) => name);
  const stray = Object.keys(args).find((name) => !names.includes(name));
  // An omitted node is the root of the scene; Godot determines which parameters are nodes.
  const missing = found.parameters.find(
    ({ name, type, default: own }) => own === undefined && args[name] === undefined && PLAIN.test(type),
  );
  const wrong = stray ?? missing?.name;
  return wrong === undefined
    ? ok(found)
    : errors.fail("E_SCHEMA_VALIDATION", `${wrong}: ${stray ? "is no parameter" : "is missing"}.`, {
        suggestedFix: `It takes ${signatureOf(found)}.`,
      });
}

/** Value types, which are not classes. */
const PLAIN =
  /^(?:Variant|bool|int|float|String(?:Name)?|NodePath|Color|Dictionary|Array|Packed|Vector|Rect|Transform|Quat|Basis|Plane|AABB)/;

async function editsOf(edits: readonly Json[], scene: string | undefined) {
  if (scene === undefined)
    return errors.fail("E_SCHEMA_VALIDATION", "The tool returned edits, so it needs a scene: add scene.");
  const items = checkedItems("edits", item, edits);
  return items.ok ? checkedEdits(items.value) : items;
}
