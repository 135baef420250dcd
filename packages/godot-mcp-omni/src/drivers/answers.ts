import type { Json, JsonObject } from "@toolpact/contract";
import type { Connection, NodeRef, ResPath } from "./scene-edit.ts";

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

export interface FoundNode extends Omit<TreeNode, "name" | "children"> {
  readonly node: NodeRef;
}

export interface Inspection {
  readonly type: string;
  readonly node?: NodeRef;
  readonly scene?: ResPath;
  readonly path?: ResPath;
  readonly script?: ResPath;
  readonly instance?: ResPath;
  readonly inherited?: true;
  readonly unique?: true;
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

export interface InputAction<Event = InputEvent> {
  readonly name: string;
  readonly deadzone?: number;
  readonly events: readonly Event[];
}

export type ListedInputAction = InputAction<InputEvent | OtherInputEvent>;

/** `key` is a name as the engine prints it: `Space`, `A`, `Ctrl+S`. */
export type InputEvent =
  | { readonly type: "key"; readonly key: string; readonly physical?: boolean }
  | { readonly type: "mouse"; readonly button: number }
  | { readonly type: "joy_button"; readonly button: number; readonly device?: number }
  | { readonly type: "joy_axis"; readonly axis: number; readonly value: number; readonly device?: number };

/** An event of another class, which can be seen and not set, such as `InputEventMIDI`. */
export interface OtherInputEvent {
  readonly type: `InputEvent${string}`;
}

export interface Problem {
  readonly path: ResPath;
  readonly line: number;
  readonly severity: "error" | "warning";
  readonly message: string;
}

export interface HistoryResult {
  readonly scene: ResPath;
  /** The step's label. */
  readonly step: string;
  readonly saved: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
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
