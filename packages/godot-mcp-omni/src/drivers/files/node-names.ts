import { errors } from "../../errors.ts";
import type { SceneNode } from "./scene-tree.ts";

/** `name`, or the first of `name2`, `name3`… that no child of `parent` but `except` has. */
export function freeName(parent: SceneNode, name: string, except?: SceneNode): string {
  const taken = new Set(parent.children.filter((child) => child !== except).map((child) => child.name));
  if (!taken.has(name)) return name;
  const [, stem = "", digits = ""] = /^(.*?)(\d*)$/s.exec(name) ?? [];
  const base = stem === "" ? `${name}_` : stem;
  let number = Math.max(stem === "" ? 1 : Number(digits), 1);
  while (taken.has(`${base}${number + 1}`)) number++;
  return `${base}${number + 1}`;
}

/** Why a text cannot be the name of a node; undefined where it can. */
export function checkName(name: string) {
  if (name === "") return errors.fail("E_SCHEMA_VALIDATION", "A node needs a name.");
  const valid = name.replace(/[.:@/"%]/g, "");
  if (valid === name && !/\p{Cc}/u.test(name)) return undefined;
  return errors.fail("E_SCHEMA_VALIDATION", `"${name.slice(0, 80)}" cannot be a node's name.`, {
    details: { valid },
    suggestedFix: 'Leave out . : @ / " and %.',
  });
}
