import * as z from "zod";
import { inputActions, inputMapChanged, settingsChanged, settingValues } from "../../operations/results.ts";
import { ANY_CODE, READ, WRITE } from "../codes.ts";
import * as p from "../params.ts";
import { product } from "../product.ts";
import { createProject, projectCreated, RENDERER_NAMES } from "./create.ts";
import { projectDescription, projectInfo } from "./info.ts";
import { actionInput, getInputMap, getSettings, setInputMap, setSettings } from "./settings.ts";

export const projectTool = product.defineActionTool({
  name: "godot_project",
  title: "Project settings and input map",
  description: "Create a project; read and change its settings and input map. Other lines stay.",
  category: "project",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["project", "workspace", "settings"],
  errors: ANY_CODE,
  facts: { beforeProject: ["project.create"] },
  deadlineMs: 120_000,
  goOn: "Name the settings in names, or a longer prefix.",
  actions: (action) => ({
    "project.create": action({
      description: "Create a project in the server's folder.",
      effect: "create",
      errors: WRITE,
      input: z.strictObject({
        name: z.string().optional().describe("Default: the folder's name"),
        renderer: z.enum(RENDERER_NAMES).optional().describe("Default: forward_plus"),
      }),
      output: projectCreated,
      handler: (input, context) => createProject(context, input),
    }),
    "project_info.get": action({
      description: "Get name, Godot version, main scene, autoloads, plugins and file counts.",
      effect: "none",
      errors: READ,
      input: z.strictObject({}),
      output: projectDescription,
      handler: (_input, { project }) => projectInfo(project),
    }),
    "project_setting.get": action({
      description: "Get settings by name, or the changed ones of a section.",
      effect: "none",
      input: z.strictObject({
        names: z.array(z.string()).optional().describe("application/config/name"),
        prefix: z.string().optional().describe("display/window/"),
        mode: p.mode,
      }),
      output: settingValues,
      handler: (input, context) => getSettings(context, input),
    }),
    "project_setting.set": action({
      description: "Change settings; null resets one. editor/… and plugins need ALLOW_DANGEROUS_OPS.",
      effect: "update",
      input: z.strictObject({
        settings: p.anyObject.describe('{"display/window/size/viewport_width": 800}'),
        mode: p.mode,
      }),
      output: settingsChanged,
      handler: ({ settings, mode }, context) =>
        setSettings({ ...context, gates: context.settings }, { settings: p.asObject(settings) ?? {}, mode }),
    }),
    "input_map.get": action({
      description: "List the input actions of the project.",
      effect: "none",
      input: z.strictObject({ mode: p.mode }),
      output: inputActions,
      handler: (input, context) => getInputMap(context, input),
    }),
    "input_map.setup": action({
      description: "Set or remove input actions.",
      effect: "update",
      input: z.strictObject({
        actions: z
          .array(p.anyObject)
          .optional()
          .describe(
            '{"name": "jump", "keys": ["Space", "W"], "events": [{"type": "joy_button", "button": 0}]}',
          ),
        remove: z.array(z.string()).optional().describe("Actions to remove: [jump]"),
        mode: p.mode,
      }),
      output: inputMapChanged,
      handler: ({ actions = [], ...input }, context) => {
        const checked = p.checkedItems("actions", actionInput, actions);
        return checked.ok ? setInputMap(context, { ...input, actions: checked.value }) : checked;
      },
    }),
  }),
});
