import type { Json, JsonObject } from "@toolpact/contract";
import type { SceneDifference } from "./files/scene-difference.ts";

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

export interface Connection {
  readonly node: NodeRef;
  readonly signal: string;
  readonly to: NodeRef;
  readonly method: string;
  readonly flags?: readonly ("deferred" | "one_shot" | "reference_counted")[];
  readonly binds?: readonly Json[];
  readonly unbinds?: number;
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

/** What every edit of a scene answers. */
export interface SceneEdited {
  readonly scene: ResPath;
  readonly changes: readonly SceneChange[];
  /** What the file on the disk says now that it did not say before; empty lists are left out. */
  readonly difference: Partial<Omit<SceneDifference, "reset">>;
  readonly saved: true;
}

export interface PropertyChange {
  readonly name: string;
  readonly type: string;
  readonly old: Json;
  readonly new: Json;
}

/** `res://…` */
export type ResPath = string;
/** From the scene's root: `.`, `Player/Sprite`, `%Unique`; in a batch also `$label` of an earlier edit. */
export type NodeRef = string;
