import type { JsonObject } from "@toolpact/contract";
import type {
  EditorState,
  FoundNode,
  HistoryResult,
  InputAction,
  Inspection,
  ListedInputAction,
  LogEntry,
  MethodInfo,
  OpenScenes,
  Problem,
  PropertyInfo,
  SceneTree,
  SignalInfo,
  TreeNode,
} from "./answers.ts";
import type { Connection, NodeRef, PropertyChange, ResPath, SceneChange, SceneEdit } from "./scene-edit.ts";

/**
 * Every operation, which Godot can do it, and how long it may take. The files driver does some of them.
 * `writes` says that files of the project or of the editor's state change.
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
  "classes.list": { modes: "both", writes: false, timeoutMs: 10_000 },
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
  diagnostics: { modes: "both", writes: false, timeoutMs: 120_000 },
  "project.import": { modes: "both", writes: true, timeoutMs: 300_000 },
  "editor.state": { modes: "editor", writes: false, timeoutMs: 5_000 },
  "editor.open_scene": { modes: "editor", writes: false, timeoutMs: 30_000 },
  "editor.close_scene": { modes: "editor", writes: false, timeoutMs: 10_000 },
  "editor.reload_scene": { modes: "editor", writes: false, timeoutMs: 30_000 },
  "editor.save_all": { modes: "editor", writes: true, timeoutMs: 30_000 },
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
  | "resource.create"
  | "resource.edit"
  | "settings.set"
  | "input_map.set";

export type Question = Exclude<Operation, EditOperation>;

export type ParamsOf<O extends Operation> = Signatures[O]["params"];
export type ResultOf<O extends Operation> = Signatures[O]["result"];

/** The file of the scene. In the editor it may be omitted and is then the scene that is open. */
type InScene = { readonly scene?: ResPath };

interface Signatures {
  "scene.create": {
    /** `inherits` makes an inherited scene; then `rootType` must be left out. */
    params: {
      readonly scene: ResPath;
      readonly rootType?: string;
      readonly rootName?: string;
      readonly inherits?: ResPath;
      readonly overwrite?: boolean;
    };
    result: { readonly scene: ResPath; readonly root: TreeNode; readonly overwritten: boolean };
  };
  "scene.tree": {
    params: InScene & { readonly under?: NodeRef; readonly depth?: number; readonly limit?: number };
    result: SceneTree;
  };
  "scene.find": {
    params: InScene & {
      readonly name?: string;
      readonly nameContains?: string;
      /** Matches derived classes and `class_name` scripts too. */
      readonly type?: string;
      readonly group?: string;
      readonly limit?: number;
    };
    result: {
      readonly scene: ResPath;
      readonly nodes: readonly FoundNode[];
      readonly total: number;
    };
  };
  /** All edits or none; one undo step; saved unless `save` is false (editor only). */
  "scene.edit": {
    params: InScene & {
      readonly edits: readonly SceneEdit[];
      readonly label?: string;
      readonly save?: boolean;
    };
    result: {
      readonly scene: ResPath;
      readonly changes: readonly SceneChange[];
      readonly saved: boolean;
      /** The scene had changes in the editor that were not saved before. */
      readonly hadUnsaved?: true;
    };
  };
  "scene.save": {
    params: InScene & { readonly as?: ResPath; readonly overwrite?: boolean };
    result: { readonly scene: ResPath; readonly saved: true };
  };
  "scene.undo": {
    params: InScene & { readonly save?: boolean };
    result: HistoryResult;
  };
  "scene.redo": {
    params: InScene & { readonly save?: boolean };
    result: HistoryResult;
  };
  /** Compact: only what differs from the default, unless `fields` names properties. */
  inspect: {
    params: Target & { readonly fields?: readonly string[]; readonly all?: boolean };
    result: Inspection;
  };
  /** Classes that can be made, the engine's and the project's, by name. */
  "classes.list": {
    params: { readonly inherits?: string; readonly contains?: string; readonly limit?: number };
    result: { readonly classes: readonly string[]; readonly total: number };
  };
  "properties.list": {
    params: Target & { readonly contains?: string; readonly limit?: number };
    result: Listed<"properties", PropertyInfo>;
  };
  "methods.list": {
    params: Target & { readonly contains?: string; readonly limit?: number };
    result: Listed<"methods", MethodInfo>;
  };
  "signals.list": {
    params: Target & { readonly contains?: string; readonly limit?: number };
    result: Listed<"signals", SignalInfo>;
  };
  "connections.list": {
    params: InScene & { readonly node?: NodeRef; readonly signal?: string };
    result: { readonly scene: ResPath; readonly connections: readonly Connection[] };
  };
  "resource.create": {
    params: {
      readonly path: ResPath;
      readonly type: string;
      readonly properties?: JsonObject;
      readonly overwrite?: boolean;
    };
    result: {
      readonly path: ResPath;
      readonly type: string;
      readonly overwritten: boolean;
      readonly changed: readonly PropertyChange[];
    };
  };
  "resource.edit": {
    params: { readonly path: ResPath; readonly properties: JsonObject };
    result: { readonly path: ResPath; readonly changed: readonly PropertyChange[] };
  };
  uid: {
    params: { readonly path: ResPath } | { readonly uid: string };
    result: { readonly path: ResPath; readonly uid: string | null };
  };
  "settings.get": {
    /** Names, or all that begin with `prefix`; only changed ones unless `all`. */
    params: { readonly names?: readonly string[]; readonly prefix?: string; readonly all?: boolean };
    result: { readonly settings: JsonObject; readonly unknown: readonly string[] };
  };
  "settings.set": {
    /** `null` takes a setting back to its default. */
    params: { readonly settings: JsonObject };
    result: { readonly changed: readonly PropertyChange[] };
  };
  "input_map.get": {
    params: { readonly builtIn?: boolean };
    result: { readonly actions: readonly ListedInputAction[] };
  };
  "input_map.set": {
    params: { readonly actions?: readonly InputAction[]; readonly remove?: readonly string[] };
    result: { readonly actions: readonly ListedInputAction[]; readonly removed: readonly string[] };
  };
  diagnostics: {
    params: { readonly paths?: readonly ResPath[] };
    result: { readonly scripts: number; readonly problems: readonly Problem[] };
  };
  /** Imports assets and registers classes. With `paths` in the editor, only these are imported again. */
  "project.import": {
    params: { readonly paths?: readonly ResPath[] };
    result: { readonly imported: true };
  };
  "editor.state": { params: Empty; result: EditorState };
  "editor.open_scene": { params: { readonly scene: ResPath }; result: SceneTree };
  "editor.close_scene": {
    params: { readonly scene: ResPath; readonly discard?: boolean };
    result: OpenScenes;
  };
  "editor.reload_scene": {
    /** `keepUnsaved` refuses where the editor has unsaved changes of the scene. */
    params: { readonly scene: ResPath; readonly keepUnsaved?: boolean };
    result: SceneTree;
  };
  "editor.save_all": { params: Empty; result: { readonly saved: readonly ResPath[] } };
  "editor.select": {
    params: InScene & { readonly nodes: readonly NodeRef[]; readonly focus?: boolean };
    result: { readonly selection: readonly NodeRef[] };
  };
  "editor.screen": {
    params: { readonly screen: "2D" | "3D" | "Script" | "AssetLib" };
    result: { readonly screen: string };
  };
  "editor.screenshot": {
    params: { readonly view?: "2D" | "3D" | "editor"; readonly maxSize?: number };
    result: { readonly png: string; readonly width: number; readonly height: number };
  };
  "editor.edit_script": {
    params: { readonly path: ResPath; readonly line?: number; readonly externalTools: boolean };
    result: { readonly path: ResPath; readonly line: number };
  };
  "editor.breakpoint": {
    params: {
      readonly path: ResPath;
      readonly line: number;
      readonly on?: boolean;
      readonly externalTools: boolean;
    };
    result: { readonly path: ResPath; readonly line: number; readonly on: boolean };
  };
  "editor.play": {
    params: { readonly scene?: ResPath };
    result: { readonly playing: true; readonly scene: ResPath };
  };
  "editor.stop": { params: Empty; result: { readonly playing: false } };
  "editor.log": {
    params: { readonly after?: number; readonly limit?: number; readonly onlyErrors?: boolean };
    result: { readonly entries: readonly LogEntry[]; readonly next: number; readonly lost: number };
  };
}

type Empty = Readonly<Record<string, never>>;

/** A node of a scene, a class of the engine or the project, or a resource's file. */
export type Target =
  | (InScene & { readonly node: NodeRef })
  | { readonly class: string }
  | { readonly resource: ResPath };

type Listed<Key extends string, Item> = { readonly type: string; readonly total: number } & {
  readonly [K in Key]: readonly Item[];
};
