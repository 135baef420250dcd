import { errors } from "../errors.ts";
import type { SceneNode } from "./scene-tree.ts";

/** `name`, or the first of `name2`, `name3`… that no child of `parent` but `except` has. */
export function freeName(parent: SceneNode, name: string, except?: SceneNode): string {
  const isTaken = parent.children.some((child) => child !== except && child.name === name);
  if (!isTaken) return name;
  const [, stem = "", digits = ""] = /^(.*?)(\d*)$/s.exec(name) ?? [];
  const base = stem === "" ? `${name}_` : stem;
  const taken = numbersAfter(base, parent, except);
  let number = Math.max(stem === "" ? 1 : Number(digits), 1);
  while (taken.has(number + 1)) number++;
  return `${base}${number + 1}`;
}

/** The 2 of `name2`, of all children but `except` that are called so. */
function numbersAfter(base: string, { children }: SceneNode, except: SceneNode | undefined): Set<number> {
  const numbers = new Set<number>();
  for (const child of children) {
    if (child === except || !child.name.startsWith(base)) continue;
    const digits = child.name.slice(base.length);
    if (/^[1-9]\d*$/.test(digits)) numbers.add(Number(digits));
  }
  return numbers;
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
