import type { Block } from "../../../formats/scene-text.ts";
import type { SceneChange } from "../../scene-edit.ts";

/** A change whose node a later edit of the same batch may still rename or move. */
export type Draft = Omit<SceneChange, "node"> &
  (
    | { readonly block: Block; readonly node?: undefined }
    | { readonly node: string; readonly block?: undefined }
  );
