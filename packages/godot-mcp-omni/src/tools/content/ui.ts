import type { Json, JsonObject } from "@toolpact/contract";
import * as z from "zod";
import type { DriverContext } from "../../drivers/ask.ts";
import { errors } from "../../errors.ts";
import type { sceneEdited } from "../../operations/results.ts";
import type { SceneEdit } from "../../operations/scene-edit.ts";
import { editSceneFile } from "../edit-scene.ts";
import * as p from "../params.ts";
import type { ToolAnswer } from "../product.ts";
import { editsFor, type NodeSpec } from "../scene/parts.ts";

const name = z.string().regex(/^[^.:@/"%]+$/);
const field = z.strictObject({
  name,
  label: z.string().exactOptional(),
  type: z
    .enum(["text", "password", "multiline", "number", "slider", "check", "choice", "color"])
    .default("text"),
  value: z.union([z.string(), z.number(), z.boolean()]).exactOptional(),
  placeholder: z.string().exactOptional(),
  choices: z.array(z.string()).exactOptional(),
  min: z.number().exactOptional(),
  max: z.number().exactOptional(),
  step: z.number().positive().exactOptional(),
});
type Field = z.infer<typeof field>;

const button = z.strictObject({
  name,
  text: z.string(),
  /** Node and method that a press calls. */
  to: z.string().exactOptional(),
  method: z.string().exactOptional(),
});

export const formInput = z.strictObject({
  scene: p.scene,
  name: p.name.optional(),
  parent: p.parent.optional(),
  title: z.string().optional().describe("Text above it"),
  fields: z
    .array(p.anyObject)
    .optional()
    .describe(
      "{name, label, type: text, password, multiline, number, slider, check, choice or color, value, placeholder, choices, min, max, step}",
    ),
  buttons: z
    .array(p.anyObject)
    .optional()
    .describe('{name, text, to: ".", method: "_on_start_pressed"}; a menu has buttons alone'),
  width: z.int().min(1).optional().describe("Least width in pixels; default: 320"),
  theme: z.string().optional().describe("res://theme.tres"),
  mode: p.mode,
});

/** Adds a form or a menu in the middle of the screen: a panel with a title, rows of fields and buttons. */
export async function makeForm(
  context: DriverContext,
  input: z.infer<typeof formInput>,
): Promise<ToolAnswer<z.infer<typeof sceneEdited>>> {
  const fields = p.checkedItems("fields", field, input.fields ?? []);
  if (!fields.ok) return fields;
  const buttons = p.checkedItems("buttons", button, input.buttons ?? []);
  if (!buttons.ok) return buttons;
  const names = [...fields.value, ...buttons.value].map((each) => each.name);
  if (names.length === 0)
    return errors.fail("E_SCHEMA_VALIDATION", "A form has fields, a menu has buttons: give at least one.");
  const twice = names.find((each, index) => names.indexOf(each) !== index);
  if (twice !== undefined) return errors.fail("E_SCHEMA_VALIDATION", `Two parts are named "${twice}".`);
  const unfit = fields.value.map(problemOf).find((problem) => problem !== undefined);
  if (unfit !== undefined) return errors.fail("E_SCHEMA_VALIDATION", unfit);
  const {
    name: called = fields.value.length > 0 ? "Form" : "Menu",
    parent,
    title,
    width = 320,
    theme,
  } = input;
  const isMenu = fields.value.length === 0;
  const spec: NodeSpec = {
    type: "CenterContainer",
    name: called,
    properties: { anchors_preset: "full_rect", ...(theme !== undefined && { theme }) },
    children: [
      {
        type: "PanelContainer",
        name: "Panel",
        children: [
          {
            type: "MarginContainer",
            name: "Margin",
            properties: Object.fromEntries(
              SIDES.map((side) => [`theme_override_constants/margin_${side}`, 16]),
            ),
            children: [
              {
                type: "VBoxContainer",
                name: "Rows",
                properties: { custom_minimum_size: [width, 0], "theme_override_constants/separation": 12 },
                children: [
                  ...(title === undefined ? [] : [titleOf(title)]),
                  ...(isMenu ? [] : [gridOf(fields.value)]),
                  ...(isMenu ? buttons.value.map(buttonOf) : barOf(buttons.value)),
                ],
              },
            ],
          },
        ],
      },
    ],
  };
  const edits = editsFor(spec, { parent });
  const labels = new Map(
    edits.flatMap((edit) => (edit.kind === "add" && edit.name !== undefined ? [[edit.name, edit.as]] : [])),
  );
  const wires = buttons.value.flatMap(({ name: pressed, to, method }): SceneEdit[] =>
    method === undefined
      ? []
      : [{ kind: "connect", node: `$${labels.get(pressed)}`, signal: "pressed", to: to ?? ".", method }],
  );
  return editSceneFile(context, input, `${isMenu ? "menu" : "form"} ${called}`, [...edits, ...wires]);
}

const SIDES = ["left", "top", "right", "bottom"] as const;

function problemOf({ name: called, type, choices, value, min, max }: Field): string | undefined {
  if (type === "choice" && (choices === undefined || choices.length === 0)) return `${called} needs choices.`;
  if (type === "choice" && value !== undefined && !choices?.includes(String(value)))
    return `${called} has no choice "${String(value)}".`;
  if (type !== "choice" && choices !== undefined) return `${called} is a ${type} and has no choices.`;
  if (min !== undefined && max !== undefined && min >= max) return `min of ${called} is not below its max.`;
  const wanted = type === "check" ? "boolean" : type === "number" || type === "slider" ? "number" : "string";
  return value !== undefined && typeof value !== wanted
    ? `The value of ${called} is expected to be a ${wanted}.`
    : undefined;
}

function titleOf(text: string): NodeSpec {
  return {
    type: "Label",
    name: "Title",
    properties: { text, horizontal_alignment: 1, "theme_override_font_sizes/font_size": 24 },
  };
}

function gridOf(fields: readonly Field[]): NodeSpec {
  return {
    type: "GridContainer",
    name: "Fields",
    properties: {
      columns: 2,
      "theme_override_constants/h_separation": 12,
      "theme_override_constants/v_separation": 8,
    },
    children: fields.flatMap((each): NodeSpec[] => [
      { type: "Label", name: `${each.name}Label`, properties: { text: each.label ?? each.name } },
      controlOf(each),
    ]),
  };
}

function controlOf({
  name: called,
  type,
  value,
  placeholder,
  choices = [],
  min,
  max,
  step,
}: Field): NodeSpec {
  const wide: Record<string, Json> = { size_flags_horizontal: 3 };
  const range: JsonObject = p.defined({ min_value: min, max_value: max, step, value });
  const hint: JsonObject = p.defined({ placeholder_text: placeholder });
  const text: JsonObject = p.defined({ text: value });
  switch (type) {
    case "text":
      return { type: "LineEdit", name: called, properties: { ...wide, ...hint, ...text } };
    case "password":
      return { type: "LineEdit", name: called, properties: { ...wide, secret: true, ...hint, ...text } };
    case "multiline":
      return {
        type: "TextEdit",
        name: called,
        properties: { ...wide, custom_minimum_size: [0, 80], ...hint, ...text },
      };
    case "number":
      return { type: "SpinBox", name: called, properties: { ...wide, ...range } };
    case "slider":
      return { type: "HSlider", name: called, properties: { ...wide, size_flags_vertical: 4, ...range } };
    case "check":
      return {
        type: "CheckBox",
        name: called,
        properties: { ...wide, ...p.defined({ button_pressed: value }) },
      };
    case "color":
      return {
        type: "ColorPickerButton",
        name: called,
        properties: { ...wide, custom_minimum_size: [0, 28], ...p.defined({ color: value }) },
      };
    case "choice": {
      const items = choices.flatMap((choice, index): [string, Json][] => [
        [`popup/item_${index}/text`, { $type: "String", value: choice }],
        [`popup/item_${index}/id`, index],
      ]);
      const selected = value === undefined ? 0 : choices.indexOf(String(value));
      return {
        type: "OptionButton",
        name: called,
        properties: { ...wide, item_count: choices.length, ...Object.fromEntries(items), selected },
      };
    }
  }
}

function buttonOf({ name: called, text }: z.infer<typeof button>): NodeSpec {
  return { type: "Button", name: called, properties: { text } };
}

function barOf(buttons: readonly z.infer<typeof button>[]): NodeSpec[] {
  if (buttons.length === 0) return [];
  // At the right end, as in the dialogs of most systems.
  return [
    { type: "HBoxContainer", name: "Buttons", properties: { alignment: 2 }, children: buttons.map(buttonOf) },
  ];
}
