import { existsSync } from "node:fs";
import path from "node:path";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import type { DriverContext } from "../../drivers/ask.ts";
import { commitFiles } from "../../drivers/commit/commit-files.ts";
import type { Drivers } from "../../drivers/drivers.ts";
import { errors } from "../../errors.ts";
import { SettingsText } from "../../formats/settings-text.ts";
import { quote } from "../../formats/variant.ts";
import { loadClassTable } from "../../godot/class-table.ts";
import { inputActions, inputMapChanged, settingsChanged, settingValues } from "../../operations/results.ts";
import { isWriteProtected } from "../../project/atomic-write.ts";
import { denied, type FileCode, type Project } from "../../project/project.ts";
import { holdsNoCode } from "../../project/trust.ts";
import { settingValue } from "../../scene-model/known-properties.ts";
import { missingFiles } from "../../scene-model/missing-files.ts";
import { count, json, jsonObject, list, text } from "../../shapes.ts";
import * as p from "../params.ts";
import { ANY_CODE, product, READ, type ToolAnswer, WRITE, type WriteCode } from "../product.ts";
import { actionInput, getInputMap, getSettings, setInputMap, setSettings } from "./settings.ts";

const projectDescription = z.strictObject({
  name: text,
  path: text,
  godotVersion: text.nullable(),
  mainScene: json,
  autoloads: jsonObject,
  plugins: json,
  /** Files by kind. */
  structure: z.record(z.string(), count),
});

/** Godot's names for renderers: the setting, and the feature of a project that uses it. */
const RENDERERS = {
  forward_plus: "Forward Plus",
  mobile: "Mobile",
  gl_compatibility: "GL Compatibility",
} as const;

const RENDERER_NAMES = Object.keys(RENDERERS) as [Renderer, ...Renderer[]];

const projectCreated = z.strictObject({
  name: text,
  path: text,
  features: list(text),
  saved: z.literal(true),
});

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

/** Kinds of files, by their endings. */
const KINDS: readonly (readonly [kind: string, endings: RegExp])[] = [
  ["scenes", /\.t?scn$/],
  ["scripts", /\.(?:gd|cs)$/],
  ["shaders", /\.gdshader(?:inc)?$/],
  ["resources", /\.t?res$/],
  ["images", /\.(?:png|jpe?g|webp|svg|bmp|tga|exr|hdr)$/],
  ["sounds", /\.(?:wav|ogg|mp3)$/],
  ["models", /\.(?:glb|gltf|fbx|obj|blend|dae)$/],
  ["fonts", /\.(?:ttf|otf|woff2?)$/],
];

async function projectInfo(
  project: Project,
): Promise<ToolAnswer<z.infer<typeof projectDescription>, FileCode>> {
  const read = await project.readText("res://project.godot");
  if (!read.ok) return read;
  const text = SettingsText.parse(read.value.text);
  if (!text.ok) return text;
  const classes = await loadClassTable();
  const value = (name: string) => settingValue(text.value, name, classes) ?? null;
  const features = value("application/config/features");
  const autoloads = text.value
    .entries()
    .filter(([name]) => name.startsWith("autoload/"))
    .map(([name]) => [name.slice("autoload/".length), value(name)]);
  const name = String(value("application/config/name") ?? "");
  const missing = await missingFiles(project);
  return ok(
    {
      name,
      path: project.root,
      godotVersion: Array.isArray(features)
        ? (features.map(String).find((item) => /^\d/.test(item)) ?? null)
        : null,
      mainScene: value("application/run/main_scene"),
      autoloads: Object.fromEntries(autoloads),
      plugins: value("editor_plugins/enabled") ?? [],
      structure: await countFiles(project),
    },
    {
      summary: `${name === "" ? "A project without a name" : name} at ${project.root}.`,
      execution: { mode: "files" },
      ...(missing.length > 0 && { warnings: missing.map(({ message }) => message) }),
    },
  );
}

async function countFiles(project: Project): Promise<Record<string, number>> {
  const counts = new Map<string, number>();
  const root = await project.resolve("res://");
  if (!root.ok) return {};
  for await (const { res } of project.files(root.value)) {
    if (/\.(?:import|uid)$/.test(res)) continue;
    const kind = KINDS.find(([, endings]) => endings.test(res))?.[0] ?? "other";
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

type Renderer = keyof typeof RENDERERS;

interface NewProject {
  readonly name?: string | undefined;
  readonly renderer?: Renderer | undefined;
}

const FILE = "res://project.godot";

type ProjectCreated = z.infer<typeof projectCreated>;

/** Creates `project.godot` in the server's folder, and the folder if needed. An existing one stays. */
async function createProject(
  { project, workspace }: Pick<DriverContext, "project" | "workspace">,
  { name = path.basename(project.root), renderer = "forward_plus" }: NewProject,
): Promise<ToolAnswer<ProjectCreated, WriteCode>> {
  if (name.trim() === "")
    return errors.fail("E_SCHEMA_VALIDATION", "A project needs a name.", {
      suggestedFix: "Leave name out for the folder's.",
    });
  const place = await project.resolve(FILE);
  if (!place.ok) return place;
  if (isWriteProtected(project.root)) return denied(FILE, "write");
  const features = [await godotVersion(workspace), RENDERERS[renderer]];
  const content = settingsOf(name, renderer, features);
  return project.inTurn(FILE, async (): Promise<ToolAnswer<ProjectCreated, WriteCode>> => {
    if (existsSync(place.value.absolute))
      return errors.fail("E_PERMISSION_DENIED", `There already is a project in ${project.root}.`, {
        details: { gate: "overwrite", path: FILE },
        suggestedFix: "Work on it as it is: godot_project project_setting.set changes its settings.",
        fixBy: "agent",
      });
    const isFromNothing = holdsNoCode(project.root);
    const written = await commitFiles(project, `new project ${name}`, [
      { path: place.value, content, was: null },
    ]);
    if (!written.ok) return written;
    if (isFromNothing) workspace.trust.trustOwn();
    return ok(
      { name, path: project.root, features, saved: true },
      {
        summary: `Created the project ${name} in ${project.root}.`,
        execution: { mode: "files" },
        files: [{ kind: "settings", pathAbs: place.value.absolute, resPath: FILE }],
      },
    );
  });
}

function settingsOf(name: string, renderer: Renderer, features: readonly string[]): string {
  const text = SettingsText.parse("config_version=5\n");
  if (!text.ok) throw new Error(text.failure.message);
  text.value.set("application/config/name", quote(name));
  text.value.set("application/config/features", `PackedStringArray(${features.map(quote).join(", ")})`);
  if (renderer !== "forward_plus") {
    text.value.set("rendering/renderer/rendering_method", quote(renderer));
    text.value.set("rendering/renderer/rendering_method.mobile", quote(renderer));
  }
  return text.value.write();
}

/** The version of the installed Godot, or of the server's class table. */
async function godotVersion(workspace: Drivers): Promise<string> {
  const binary = await workspace.binary();
  const version = binary.ok ? binary.value.version : (await loadClassTable()).version;
  return version.split(".").slice(0, 2).join(".");
}
