import type { Json, JsonObject } from "@toolpact/contract";
import type * as z from "zod";
import type * as answers from "./results.ts";
import type { InputAction, Problem, PropertyChange, SceneChange, TreeNode } from "./results.ts";
import type { SceneEdit } from "./scene-edit.ts";

/**
 * Every operation that Godot can do, and its time limit. The files driver does some of them.
 * `writes` marks operations that change files of the project or the editor's state.
 */
export const OPERATIONS = {
  "scene.create": { modes: "both", writes: true, timeoutMs: 10_000 },
  "scene.tree": { modes: "both", writes: false, timeoutMs: 10_000 },
  "scene.find": { modes: "both", writes: false, timeoutMs: 10_000 },
  "scene.edit": { modes: "both", writes: true, timeoutMs: 15_000 },
  "scene.save": { modes: "both", writes: true, timeoutMs: 15_000 },
  "scene.undo": { modes: "both", writes: true, timeoutMs: 15_000 },
  "scene.redo": { modes: "both", writes: true, timeoutMs: 15_000 },
  inspect: { modes: "both", writes: false, timeoutMs: 10_000 },
  "properties.list": { modes: "both", writes: false, timeoutMs: 10_000 },
  "methods.list": { modes: "both", writes: false, timeoutMs: 10_000 },
  "signals.list": { modes: "both", writes: false, timeoutMs: 10_000 },
  "connections.list": { modes: "both", writes: false, timeoutMs: 10_000 },
  "resource.create": { modes: "both", writes: true, timeoutMs: 10_000 },
  "resource.edit": { modes: "both", writes: true, timeoutMs: 10_000 },
  uid: { modes: "both", writes: false, timeoutMs: 5_000 },
  "settings.get": { modes: "both", writes: false, timeoutMs: 5_000 },
  "settings.set": { modes: "both", writes: true, timeoutMs: 5_000 },
  "input_map.get": { modes: "both", writes: false, timeoutMs: 5_000 },
  "input_map.set": { modes: "both", writes: true, timeoutMs: 5_000 },
  "tool.call": { modes: "both", writes: false, timeoutMs: 60_000 },
  diagnostics: { modes: "both", writes: false, timeoutMs: 120_000 },
  "project.import": { modes: "both", writes: true, timeoutMs: 300_000 },
  "editor.state": { modes: "editor", writes: false, timeoutMs: 5_000 },
  "editor.open_scene": { modes: "editor", writes: false, timeoutMs: 30_000 },
  "editor.close_scene": { modes: "editor", writes: false, timeoutMs: 10_000 },
  "editor.reload_scene": { modes: "editor", writes: false, timeoutMs: 30_000 },
  "editor.accept_file": { modes: "editor", writes: false, timeoutMs: 5_000 },
  "editor.select": { modes: "editor", writes: false, timeoutMs: 5_000 },
  "editor.screen": { modes: "editor", writes: false, timeoutMs: 5_000 },
  "editor.screenshot": { modes: "editor", writes: false, timeoutMs: 15_000 },
  "editor.edit_script": { modes: "editor", writes: false, timeoutMs: 10_000 },
  "editor.breakpoint": { modes: "editor", writes: false, timeoutMs: 10_000 },
  "editor.play": { modes: "editor", writes: false, timeoutMs: 30_000 },
  "editor.stop": { modes: "editor", writes: false, timeoutMs: 15_000 },
  "editor.log": { modes: "editor", writes: false, timeoutMs: 5_000 },
} as const satisfies Record<string, OperationRow>;

interface OperationRow {
  readonly modes: "both" | "editor";
  readonly writes: boolean;
  readonly timeoutMs: number;
}

export type Operation = keyof typeof OPERATIONS;

/** Operations that change files of the project; `commitEdit` carries them out. */
export type EditOperation =
  | "scene.create"
  | "scene.edit"
  | "scene.save"
  | "scene.undo"
  | "scene.redo"
  | "resource.create"
  | "resource.edit"
  | "settings.set"
  | "input_map.set";

export type Question = Exclude<Operation, EditOperation>;

export type ParamsOf<O extends Operation> = Readonly<Signatures[O][0]>;
export type ResultOf<O extends Operation> = Readonly<Signatures[O][1]>;

type ResPath = string;
/** From the scene's root: `.`, `Player/Sprite`, `%Unique`; in a batch also `$label` of an earlier edit. */
type NodeRef = string;
/** The file of the scene. In the editor it defaults to the open scene. */
type InScene = { scene?: ResPath };
/** A node of a scene, a class of the engine or the project, or a resource file. */
export type Target = (InScene & { node: NodeRef }) | { class: string } | { resource: ResPath };
type MembersOf = Target & { contains?: string; limit?: number };
type Empty = Record<string, never>;
type Shape<Name extends keyof typeof answers> = z.infer<(typeof answers)[Name]>;

interface Signatures {
  /** `inherits` makes an inherited scene; then `rootType` must be left out. */
  "scene.create": [
    { scene: ResPath; rootType?: string; rootName?: string; inherits?: ResPath; overwrite?: boolean },
    { scene: ResPath; root: TreeNode; overwritten: boolean },
  ];
  "scene.tree": [InScene & { under?: NodeRef; depth?: number; limit?: number }, Shape<"sceneTree">];
  /** `type` matches derived classes and `class_name` scripts too. */
  "scene.find": [
    InScene & { name?: string; nameContains?: string; type?: string; group?: string; limit?: number },
    Shape<"nodesFound">,
  ];
  /** All edits or none; one undo step; saved unless `save` is false (editor only). */
  "scene.edit": [
    InScene & { edits: readonly SceneEdit[]; label?: string; save?: boolean },
    {
      scene: ResPath;
      changes: readonly SceneChange[];
      saved: boolean;
      /** The scene had unsaved changes in the editor. */
      hadUnsaved?: true;
      /** In the editor, the number of steps done in the scene's history. */
      position?: number;
      /** In the editor, the name of the step in its history. */
      step?: string;
    },
  ];
  "scene.save": [InScene & { as?: ResPath; overwrite?: boolean }, { scene: ResPath; saved: true }];
  /** With `expected`, only if that step is the current one of the scene's history. */
  "scene.undo": [
    InScene & { save?: boolean; expected?: { position: number; step: string } },
    Shape<"editorStep">,
  ];
  "scene.redo": [InScene & { save?: boolean }, Shape<"editorStep">];
  /** Compact: only non-default properties, unless `fields` names some. */
  inspect: [Target & { fields?: readonly string[]; all?: boolean }, Shape<"inspection">];
  "properties.list": [MembersOf, Shape<"propertyList">];
  "methods.list": [MembersOf, Shape<"methodList">];
  "signals.list": [MembersOf, Shape<"signalList">];
  "connections.list": [InScene & { node?: NodeRef; signal?: string }, Shape<"connectionList">];
  "resource.create": [
    { path: ResPath; type: string; properties?: JsonObject; overwrite?: boolean },
    { path: ResPath; type: string; overwritten: boolean; changed: readonly PropertyChange[] },
  ];
  "resource.edit": [
    { path: ResPath; properties: JsonObject },
    { path: ResPath; changed: readonly PropertyChange[] },
  ];
  uid: [{ path: ResPath } | { uid: string }, Shape<"resourceId">];
  /** Names, or all that begin with `prefix`; only changed ones unless `all`. */
  "settings.get": [{ names?: readonly string[]; prefix?: string; all?: boolean }, Shape<"settingValues">];
  /** `null` resets a setting to its default. */
  "settings.set": [{ settings: JsonObject }, Shape<"settingsChanged">];
  "input_map.get": [{ builtIn?: boolean }, Shape<"inputActions">];
  "input_map.set": [
    { actions?: readonly InputAction[]; remove?: readonly string[] },
    Shape<"inputMapChanged">,
  ];
  /** A static function of the project. Its own changes to the scene are discarded; it returns `edits` to apply. */
  "tool.call": [
    { path: ResPath; function: string; args: JsonObject; scene?: ResPath },
    { value: Json; scene?: string; edits?: readonly Json[] },
  ];
  /** `outdated`: Godot may report other problems after a restart. */
  diagnostics: [
    { paths?: readonly ResPath[] },
    { scripts: number; problems: readonly Problem[]; outdated: boolean },
  ];
  /** Imports assets and registers classes. With `paths` in the editor, only these are imported again. */
  "project.import": [
    { paths?: readonly ResPath[] },
    /** Errors and warnings printed meanwhile; none before Godot 4.5, which has no such log. */
    { imported: true; said?: Shape<"logPage">["entries"] },
  ];
  "editor.state": [Empty, Shape<"editorState">];
  "editor.open_scene": [{ scene: ResPath }, Shape<"sceneTree">];
  "editor.close_scene": [{ scene: ResPath; discard?: boolean }, Shape<"openScenes">];
  /** `keepUnsaved` refuses if the editor has unsaved changes of the scene. */
  "editor.reload_scene": [{ scene: ResPath; keepUnsaved?: boolean }, Shape<"sceneTree">];
  /** Reports that the file of an open scene was replaced by an equivalent one, which need not be reloaded. */
  "editor.accept_file": [{ scene: ResPath }, { scene: ResPath }];
  "editor.select": [
    InScene & { nodes: readonly NodeRef[]; focus?: boolean },
    { selection: readonly NodeRef[] },
  ];
  "editor.screen": [{ screen: "2D" | "3D" | "Script" | "AssetLib" }, { screen: string }];
  "editor.screenshot": [
    { view?: "2D" | "3D" | "editor"; maxSize?: number },
    { png: string; width: number; height: number },
  ];
  "editor.edit_script": [
    { path: ResPath; line?: number; externalTools: boolean },
    { path: ResPath; line: number },
  ];
  "editor.breakpoint": [
    { path: ResPath; line: number; on?: boolean; externalTools: boolean },
    { path: ResPath; line: number; on: boolean },
  ];
  "editor.play": [{ scene?: ResPath }, { playing: true; scene: ResPath }];
  "editor.stop": [Empty, { playing: false }];
  "editor.log": [{ after?: number; limit?: number; onlyErrors?: boolean }, Shape<"logPage">];
}
