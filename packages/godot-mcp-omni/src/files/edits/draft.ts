import type { SceneChange } from "../../godot/scene-edit.ts";
import type { Block } from "../scene-text.ts";

/** A change whose node may still be renamed or moved by a later edit of the same batch. */
export type Draft = Omit<SceneChange, "node"> &
  (
    | { readonly block: Block; readonly node?: undefined }
    | { readonly node: string; readonly block?: undefined }
  );
