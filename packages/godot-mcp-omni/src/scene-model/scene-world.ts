import { dirname, join } from "node:path/posix";
import type { Json } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import type { Result } from "../errors.ts";
import { inSlices, parseDocument } from "../formats/document.ts";
import { SceneText, textField } from "../formats/scene-text.ts";
import { basePath, csharpOutlineOf, outlineOf, type ScriptOutline } from "../formats/script-outline.ts";
import { includesIn, type ShaderUniforms, uniformsOf } from "../formats/shader-uniforms.ts";
import { parseVariant, type Variant } from "../formats/variant.ts";
import { type ClassTable, loadClassTable } from "../godot/class-table.ts";
import { cannotDo } from "../operations/driver.ts";
import type { Project } from "../project/project.ts";
import type { ProjectPath } from "../project/project-path.ts";

/** The other files that an edit of a scene depends on, read in advance. */
export interface SceneWorld {
  readonly classes: ClassTable;
  /** Undefined for one that is not text or does not exist. */
  readonly scene: (res: string) => SceneText | undefined;
  readonly script: (res: string) => ScriptOutline | undefined;
  /** The script of a `class_name`. */
  readonly scriptOf: (className: string) => string | undefined;
  readonly resource: (res: string) => KnownResource | undefined;
  /** A resource in text form (.tres). */
  readonly resourceText: (res: string) => SceneText | undefined;
  /** Undefined for one that is not text, such as a VisualShader. */
  readonly shader: (res: string) => ShaderUniforms | undefined;
}

export interface KnownResource {
  /** Its class, as far as the file shows it. */
  readonly type: string;
  readonly uid: string | undefined;
  /** For an imported scene, the class of its root or a base class of it. */
  readonly rootType?: string | undefined;
}

export interface ProjectFiles {
  textOf(res: string): Promise<string | undefined>;
  exists(res: string): Promise<boolean>;
}

const MAX_FILES = 2_000;

/**
 * Reads the scenes that make up `start`, at any depth, the scripts of their nodes, and all files they mention.
 * `known` are scenes that were already read.
 */
export async function loadWorld(
  project: ProjectFiles,
  start: readonly string[],
  known: ReadonlyMap<string, SceneText> = new Map(),
): Promise<SceneWorld> {
  const classes = await loadClassTable();
  const scenes = new Map<string, SceneText>();
  const scripts = new Map<string, ScriptOutline>();
  const resources = new Map<string, KnownResource>();
  const resourceTexts = new Map<string, SceneText>();
  const shaders = new Map<string, string>();
  const classScripts = classScriptsOf(await project.textOf("res://.godot/global_script_class_cache.cfg"));
  const waiting = [...start];
  const seen = new Set<string>();
  const visit = (res: string) => {
    if (!seen.has(res) && seen.size < MAX_FILES) waiting.push(res);
    seen.add(res);
  };

  const noteScene = (res: string, scene: SceneText) => {
    const { head } = scene;
    const isScene = res.endsWith(".tscn");
    resources.set(res, {
      type: isScene ? "PackedScene" : ((head && textField(head, "type")) ?? "Resource"),
      uid: head && textField(head, "uid"),
    });
    (isScene ? scenes : resourceTexts).set(res, scene);
    for (const block of scene.tagged("ext_resource")) {
      const path = textField(block, "path");
      if (path !== undefined) visit(path);
    }
  };

  for (let res = waiting.pop(); res !== undefined; res = waiting.pop()) {
    seen.add(res);
    const scene = known.get(res);
    const text = isText(res) && scene === undefined ? await project.textOf(res) : undefined;
    if (scene !== undefined) noteScene(res, scene);
    else if (text === undefined) {
      if (await project.exists(res)) resources.set(res, await importedResource(res, project));
    } else if (res.endsWith(".gd")) {
      const outline = outlineOf(text);
      scripts.set(res, outline);
      resources.set(res, { type: "GDScript", uid: (await project.textOf(`${res}.uid`))?.trim() });
      visit(basePath(outline.extends, res) ?? classScripts.get(outline.extends) ?? res);
    } else if (res.endsWith(".cs")) {
      scripts.set(res, csharpOutlineOf(text));
      resources.set(res, { type: "CSharpScript", uid: (await project.textOf(`${res}.uid`))?.trim() });
    } else if (isShader(res)) {
      shaders.set(res, text);
      resources.set(res, { type: "Shader", uid: (await project.textOf(`${res}.uid`))?.trim() });
      for (const path of includesIn(text)) visit(relativeTo(path, res));
    } else {
      const parsed = await inSlices(SceneText.parsing(text));
      if (parsed.ok) noteScene(res, parsed.value);
    }
  }
  return {
    classes,
    scene: (res) => scenes.get(res),
    script: (res) => scripts.get(res),
    scriptOf: (name) => classScripts.get(name),
    resource: (res) => resources.get(res),
    resourceText: (res) => resourceTexts.get(res),
    shader(res) {
      const code = shaders.get(res);
      return code === undefined ? undefined : uniformsOf(code, (path) => shaders.get(relativeTo(path, res)));
    },
  };
}

export interface LoadedScene {
  readonly scene: SceneText;
  readonly text: string;
  readonly world: SceneWorld;
}

/** A scene's text with everything needed to understand it, and the files in `more`. `changed` are scenes' new texts. */
export async function loadScene(
  project: Project,
  path: ProjectPath,
  more?: Json,
  changed?: ReadonlyMap<string, SceneText>,
): Promise<Result<LoadedScene>> {
  const read = await project.textAt(path);
  if (!read.ok) return read;
  const { text } = read.value;
  if (!path.res.endsWith(".tscn"))
    return cannotDo(
      "files",
      `${path.res} is not a scene in text form (.tscn).`,
      "Set GODOT_PATH to let the engine read it.",
    );
  const pending = changed?.get(path.res);
  const parsed = pending === undefined ? await project.parseScene(path.res, text) : ok(pending);
  if (!parsed.ok) return parsed;
  const known = new Map([...(changed ?? []), [path.res, parsed.value]]);
  const world = await loadWorld(project, [path.res, ...mentionedPaths(more)], known);
  return ok({ scene: parsed.value, text, world });
}

/** Resolves a path that another file names, relative to that file's folder. */
function relativeTo(path: string, file: string): string {
  return path.includes("://") ? path : `res://${join(dirname(file.slice("res://".length)), path)}`;
}

/** In a longer chain, scripts extend each other in a circle. */
const MAX_SCRIPT_DEPTH = 50;

/** A script and its base scripts, the nearest first, as far as they could be read. */
export function scriptLineage(
  script: string | undefined,
  world: Pick<SceneWorld, "script" | "scriptOf">,
): readonly (ScriptOutline & { readonly path: string })[] {
  const lineage: (ScriptOutline & { path: string })[] = [];
  let path = script;
  while (path !== undefined && lineage.length < MAX_SCRIPT_DEPTH) {
    const outline = world.script(path);
    if (outline === undefined) break;
    lineage.push({ ...outline, path });
    path = basePath(outline.extends, path) ?? world.scriptOf(outline.extends);
  }
  return lineage;
}

/** Every `res://…` that a value mentions. */
export function mentionedPaths(value: Json | undefined): string[] {
  if (typeof value === "string") return value.startsWith("res://") ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(mentionedPaths);
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(mentionedPaths);
}

/** The resource path of an `ext_resource` by its id. */
export function extResourcePath(scene: SceneText, id: string): string | undefined {
  // They are at the start of the file, so only a few blocks of a large scene are searched.
  const block = scene.blocks.find(
    (candidate) => candidate.heading.tag === "ext_resource" && textField(candidate, "id") === id,
  );
  return block && textField(block, "path");
}

/** The path behind `ExtResource("1_a")`, for instances and scripts. */
export function referencedPath(scene: SceneText, raw: string | undefined): string | undefined {
  if (raw === undefined) return undefined;
  const id =
    /^ExtResource\(\s*"((?:[^"\\]|\\.)*)"\s*\)$/.exec(raw)?.[1] ??
    /^ExtResource\(\s*(\d+)\s*\)$/.exec(raw)?.[1];
  return id === undefined ? undefined : extResourcePath(scene, id);
}

function isText(res: string): boolean {
  return /\.(?:tscn|tres|gd|cs)$/.test(res) || isShader(res);
}

function isShader(res: string): boolean {
  return /\.gdshader(?:inc)?$/.test(res);
}

const TYPE_BY_EXTENSION: Readonly<Record<string, string>> = {
  scn: "PackedScene",
  glb: "PackedScene",
  gltf: "PackedScene",
  fbx: "PackedScene",
  gdshader: "Shader",
  cs: "CSharpScript",
  png: "CompressedTexture2D",
  jpg: "CompressedTexture2D",
  jpeg: "CompressedTexture2D",
  webp: "CompressedTexture2D",
  svg: "CompressedTexture2D",
  wav: "AudioStreamWAV",
  ogg: "AudioStreamOggVorbis",
  mp3: "AudioStreamMP3",
  ttf: "FontFile",
  otf: "FontFile",
};

/** The class and uid of an asset are in the `.import` file next to it. */
async function importedResource(res: string, project: ProjectFiles): Promise<KnownResource> {
  const byName = TYPE_BY_EXTENSION[res.split(".").at(-1)?.toLowerCase() ?? ""] ?? "Resource";
  const text = await project.textOf(`${res}.import`);
  const document = text === undefined ? undefined : parseDocument(text, "names");
  if (document === undefined || !document.ok) return { type: byName, uid: undefined };
  const value = (name: string) => {
    const part = document.value.parts.find(
      (candidate) => candidate.kind === "assignment" && candidate.name === name,
    );
    const parsed = part?.kind === "assignment" ? parseVariant(part.value) : undefined;
    return parsed?.ok && parsed.value.kind === "string" ? parsed.value.value : undefined;
  };
  // If the import names no class, the root is a Node3D or a class that inherits it.
  const rootType = value("importer") === "scene" ? value("nodes/root_type") || "Node3D" : undefined;
  return { type: value("type") ?? byName, uid: value("uid"), rootType };
}

/** The script of each `class_name`, from Godot's cache. */
export function classScriptsOf(cache: string | undefined): ReadonlyMap<string, string> {
  const list = /^list=([\s\S]*)$/m.exec(cache ?? "")?.[1];
  const parsed = list === undefined ? undefined : parseVariant(list);
  if (parsed === undefined || !parsed.ok || parsed.value.kind !== "array") return new Map();
  return new Map(
    parsed.value.items.flatMap((item): [string, string][] => {
      const name = member(item, "class");
      const path = member(item, "path");
      return name === undefined || path === undefined ? [] : [[name, path]];
    }),
  );
}

function member(value: Variant, key: string): string | undefined {
  if (value.kind !== "dictionary") return undefined;
  const found = value.entries.find(
    ([name]) => (name.kind === "string" || name.kind === "name") && name.value === key,
  );
  return found?.[1].kind === "string" || found?.[1].kind === "name" ? found[1].value : undefined;
}
