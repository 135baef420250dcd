import * as z from "zod";
import { ANY_CODE } from "../codes.ts";
import * as p from "../params.ts";
import { product } from "../product.ts";
import { createProject, RENDERER_NAMES } from "./create.ts";
import { projectInfo } from "./info.ts";
import { getInputMap, getSettings, setInputMap, setSettings } from "./settings.ts";

const event = z.strictObject({
  type: z.enum(["key", "mouse", "joy_button", "joy_axis"]),
  key: z.string().optional(),
  physical: z.boolean().optional(),
  button: z.int().optional(),
  axis: z.int().optional(),
  value: z.number().optional(),
  device: z.int().optional(),
});

const inputAction = z.strictObject({
  name: z.string(),
  deadzone: z.number().min(0).max(1).optional(),
  keys: z.array(z.string()).optional(),
  events: z.array(event).optional(),
});

export const projectTool = product.defineActionTool({
  name: "godot_project",
  title: "Project, its settings and input map",
  describe: "Make, read and change project.godot; other lines stay.",
  category: "project",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["project", "godots", "settings"],
  errors: ANY_CODE,
  deadlineMs: 120_000,
  actions: (action) => ({
    "project.create": action({
      describe: "Makes a project in the server's folder if there is none.",
      effect: "create",
      input: z.strictObject({
        name: z.string().optional().describe("The folder's unless set"),
        renderer: z.enum(RENDERER_NAMES).optional().describe("The first unless set"),
      }),
      output: p.answer,
      run: (input, context) => createProject(context, input),
    }),
    "project_info.get": action({
      describe: "Name, Godot version, main scene, autoloads, plugins, files by kind.",
      effect: "none",
      input: z.strictObject({}),
      output: p.answer,
      run: (_input, { project }) => projectInfo(project),
    }),
    "project_setting.get": action({
      describe: "Settings by name, or those of a section that differ from the default.",
      effect: "none",
      input: z.strictObject({
        names: z.array(z.string()).optional().describe("section/name"),
        prefix: z.string().optional().describe("Such as display/window/"),
        mode: p.mode,
      }),
      output: p.answer,
      run: (input, context) => getSettings(context, input),
    }),
    "project_setting.set": action({
      describe:
        "Sets settings; null takes one back to its default. editor/… and plugins need ALLOW_DANGEROUS_OPS.",
      effect: "update",
      input: z.strictObject({
        settings: p.anyObject.describe('{"display/window/size/viewport_width": 800}'),
        mode: p.mode,
      }),
      output: p.answer,
      run: ({ settings, mode }, context) =>
        setSettings({ ...context, gates: context.settings }, { settings: p.asObject(settings) ?? {}, mode }),
    }),
    "input_map.get": action({
      describe: "Input actions of the project.",
      effect: "none",
      input: z.strictObject({ mode: p.mode }),
      output: p.answer,
      run: (input, context) => getInputMap(context, input),
    }),
    "input_map.setup": action({
      describe: "Sets input actions, or removes them.",
      effect: "update",
      input: z.strictObject({
        actions: z
          .array(p.anyObject)
          .optional()
          .describe(
            '{"name": "jump", "keys": ["Space", "W"], "events": [{"type": "joy_button", "button": 0}]}',
          ),
        remove: z.array(z.string()).optional().describe("Actions to remove"),
        mode: p.mode,
      }),
      output: p.answer,
      run: ({ actions = [], ...input }, context) => {
        const checked = p.checkedItems("actions", inputAction, actions);
        return checked.ok ? setInputMap(context, { ...input, actions: checked.value }) : checked;
      },
    }),
  }),
});
