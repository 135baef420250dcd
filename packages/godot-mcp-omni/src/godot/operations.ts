import type { Json, JsonObject } from "@toolpact/contract";

/**
 * Everything a Godot can be asked, in which modes, and how long it may take.
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

export type ParamsOf<O extends Operation> = Signatures[O]["params"];
export type ResultOf<O extends Operation> = Signatures[O]["result"];

/** `res://…` */
export type ResPath = string;
/** From the scene's root: `.`, `Player/Sprite`, `%Unique`; in a batch also `$label` of an earlier edit. */
export type NodeRef = string;
/** The scene's file. In the editor it may be left out: then it is the scene being edited. */
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
    result: { readonly path: ResPath; readonly type: string; readonly overwritten: boolean };
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
    result: { readonly actions: readonly InputAction[] };
  };
  "input_map.set": {
    params: { readonly actions?: readonly InputAction[]; readonly remove?: readonly string[] };
    result: { readonly actions: readonly InputAction[]; readonly removed: readonly string[] };
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
  "editor.reload_scene": { params: { readonly scene: ResPath }; result: SceneTree };
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

/** `as` names the node an edit makes, so that later edits of the batch can say `$name`. */
export type SceneEdit =
  | {
      readonly kind: "add";
      readonly type: string;
      readonly parent?: NodeRef;
      readonly name?: string;
      readonly index?: number;
      readonly properties?: JsonObject;
      readonly groups?: readonly string[];
      readonly script?: ResPath;
      readonly as?: string;
    }
  | {
      readonly kind: "instance";
      readonly source: ResPath;
      readonly parent?: NodeRef;
      readonly name?: string;
      readonly index?: number;
      readonly properties?: JsonObject;
      readonly as?: string;
    }
  | { readonly kind: "remove"; readonly node: NodeRef }
  | { readonly kind: "rename"; readonly node: NodeRef; readonly name: string }
  | { readonly kind: "move"; readonly node: NodeRef; readonly index: number }
  | { readonly kind: "duplicate"; readonly node: NodeRef; readonly name?: string; readonly as?: string }
  | {
      readonly kind: "reparent";
      readonly node: NodeRef;
      readonly parent: NodeRef;
      readonly index?: number;
      /** True unless said otherwise. */
      readonly keepGlobalTransform?: boolean;
    }
  | { readonly kind: "set"; readonly node: NodeRef; readonly properties: JsonObject }
  | { readonly kind: "script"; readonly node: NodeRef; readonly script: ResPath | null }
  | { readonly kind: "group"; readonly node: NodeRef; readonly group: string; readonly member: boolean }
  | { readonly kind: "unique_name"; readonly node: NodeRef; readonly unique: boolean }
  /** Opens the children of an instance to changes, as the editor's "Editable Children" does. */
  | { readonly kind: "editable"; readonly node: NodeRef; readonly editable: boolean }
  | ({ readonly kind: "connect" } & Connection)
  | ({ readonly kind: "disconnect" } & Omit<Connection, "flags" | "binds" | "unbinds">)
  | {
      readonly kind: "tiles";
      readonly node: NodeRef;
      /** Without `source` the cell is erased. */
      readonly cells: readonly Tile[];
    }
  | {
      readonly kind: "animation";
      readonly player: NodeRef;
      readonly animation: string;
      readonly node: NodeRef;
      readonly property: string;
      readonly keys: readonly { readonly time: number; readonly value: Json }[];
      readonly length?: number;
      readonly replace?: boolean;
    };

export interface Tile {
  readonly x: number;
  readonly y: number;
  readonly source?: number;
  readonly atlas?: { readonly x: number; readonly y: number };
  readonly alternative?: number;
}

export interface SceneChange {
  readonly kind: SceneEdit["kind"];
  /** Where the node is after the whole batch; where it was, for a removed one. */
  readonly node: NodeRef;
  readonly type?: string;
  readonly properties?: readonly PropertyChange[];
  /** Properties whose value the file does not hold: an animation called RESET set them back when it was saved. */
  readonly notSaved?: readonly string[];
  /** Where the node was before a rename, move or reparent. */
  readonly from?: NodeRef;
  readonly index?: number;
}

export interface PropertyChange {
  readonly name: string;
  readonly type: string;
  readonly old: Json;
  readonly new: Json;
}

export interface HistoryResult {
  readonly scene: ResPath;
  /** The step's label. */
  readonly step: string;
  readonly saved: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}

export interface SceneTree {
  readonly scene: ResPath;
  readonly inherits?: ResPath;
  readonly root: TreeNode;
  readonly nodes: number;
  /** True when depth or limit left nodes out. */
  readonly truncated: boolean;
}

export interface TreeNode {
  readonly name: string;
  readonly type: string;
  readonly script?: ResPath;
  /** The scene this node is an instance of. */
  readonly instance?: ResPath;
  /** The node comes from the base scene or an instance and is not this scene's own. */
  readonly inherited?: true;
  readonly unique?: true;
  readonly groups?: readonly string[];
  readonly children?: readonly TreeNode[];
}

export interface FoundNode {
  readonly node: NodeRef;
  readonly type: string;
  readonly script?: ResPath;
  readonly groups?: readonly string[];
}

export interface Inspection {
  readonly type: string;
  readonly node?: NodeRef;
  readonly scene?: ResPath;
  readonly path?: ResPath;
  readonly script?: ResPath;
  readonly instance?: ResPath;
  readonly groups?: readonly string[];
  readonly connections?: readonly Connection[];
  readonly properties: JsonObject;
  /** How many properties were left out because they hold their default. */
  readonly defaults: number;
}

export interface PropertyInfo {
  readonly name: string;
  /** Variant type, class of an object, or `Array[int]`. */
  readonly type: string;
  readonly from: string;
  readonly hint?: string;
  readonly default?: Json;
  readonly readOnly?: true;
}

export interface MethodInfo {
  readonly name: string;
  readonly from: string;
  readonly args: readonly ArgumentInfo[];
  readonly returns: string;
  readonly flags?: readonly ("const" | "static" | "virtual" | "vararg")[];
}

export interface SignalInfo {
  readonly name: string;
  readonly from: string;
  readonly args: readonly ArgumentInfo[];
}

export interface ArgumentInfo {
  readonly name: string;
  readonly type: string;
  readonly default?: Json;
}

type Listed<Key extends string, Item> = { readonly type: string; readonly total: number } & {
  readonly [K in Key]: readonly Item[];
};

export interface Connection {
  readonly node: NodeRef;
  readonly signal: string;
  readonly to: NodeRef;
  readonly method: string;
  readonly flags?: readonly ("deferred" | "one_shot" | "reference_counted")[];
  readonly binds?: readonly Json[];
  readonly unbinds?: number;
}

export interface InputAction {
  readonly name: string;
  readonly deadzone?: number;
  readonly events: readonly InputEvent[];
}

/** `key` is a name as the engine prints it: `Space`, `A`, `Ctrl+S`. */
export type InputEvent =
  | { readonly type: "key"; readonly key: string; readonly physical?: boolean }
  | { readonly type: "mouse"; readonly button: number }
  | { readonly type: "joy_button"; readonly button: number; readonly device?: number }
  | { readonly type: "joy_axis"; readonly axis: number; readonly value: number; readonly device?: number };

export interface Problem {
  readonly path: ResPath;
  readonly line: number;
  readonly severity: "error" | "warning";
  readonly message: string;
}

export interface EditorState {
  readonly version: string;
  readonly scenes: OpenScenes["scenes"];
  readonly current: ResPath | null;
  readonly selection: readonly NodeRef[];
  readonly playing: ResPath | null;
  readonly scripts: readonly ResPath[];
  readonly headless: boolean;
  readonly scanning: boolean;
}

export interface OpenScenes {
  readonly scenes: readonly { readonly scene: ResPath; readonly unsaved: boolean }[];
}

export interface LogEntry {
  readonly index: number;
  readonly severity: "info" | "warning" | "error" | "script_error" | "shader_error";
  readonly message: string;
  readonly path?: string;
  readonly line?: number;
}
