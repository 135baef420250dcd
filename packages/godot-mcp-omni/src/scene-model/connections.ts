import { rawField, type SceneText, textField } from "../formats/scene-text.ts";
import type { SignalConnection } from "../operations/scene-edit.ts";
import { jsonOfText } from "./variant-to-json.ts";

/** Returns the connections in the file of a scene, without those of its instances. */
export function connectionsIn(scene: SceneText): SignalConnection[] {
  return scene.tagged("connection").map((block) => {
    const flags = Number(rawField(block, "flags") ?? PERSIST);
    const named = FLAG_NAMES.filter((flag) => flags & CONNECTION_FLAGS[flag]);
    const unbinds = Number(rawField(block, "unbinds") ?? 0);
    const binds = rawField(block, "binds");
    const bound = binds === undefined ? [] : jsonOfText(binds, scene, false);
    return {
      node: textField(block, "from") ?? "",
      signal: textField(block, "signal") ?? "",
      to: textField(block, "to") ?? "",
      method: textField(block, "method") ?? "",
      ...(named.length > 0 && { flags: named }),
      ...(Array.isArray(bound) && bound.length > 0 && { binds: bound }),
      ...(unbinds > 0 && { unbinds }),
    };
  });
}

/** Godot's flags; 2 means that the connection is saved in the scene. */
export const CONNECTION_FLAGS = { deferred: 1, one_shot: 4, reference_counted: 8 } as const;
export const PERSIST = 2;

const FLAG_NAMES = ["deferred", "one_shot", "reference_counted"] as const;
