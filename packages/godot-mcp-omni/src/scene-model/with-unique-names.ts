import type { JsonObject } from "@toolpact/contract";
import type { SceneEdit } from "../operations/scene-edit.ts";

const NAME = "unique_name_in_owner";

/** Replaces `unique_name_in_owner` among the properties of nodes by the edit that checks and sets it. */
export function withUniqueNames(edits: readonly SceneEdit[]): readonly SceneEdit[] {
  return edits.flatMap((edit, index): readonly SceneEdit[] => {
    if (edit.kind !== "add" && edit.kind !== "instance" && edit.kind !== "set") return [edit];
    const { [NAME]: unique, ...others }: JsonObject = edit.properties ?? {};
    if (typeof unique !== "boolean") return [edit];
    if (edit.kind === "set") {
      const rest = Object.keys(others).length > 0 ? [{ ...edit, properties: others }] : [];
      return [...rest, { kind: "unique_name", node: edit.node, unique }];
    }
    const label = edit.as ?? `unique${index}`;
    return [
      { ...edit, properties: others, as: label },
      { kind: "unique_name", node: `$${label}`, unique },
    ];
  });
}
