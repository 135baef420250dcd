import type { Json } from "@toolpact/contract";

/** Whether two values are the same, numbers within a tolerance. */
export function isSameValue(a: Json, b: Json, tolerance: number): boolean {
  if (typeof a === "number" && typeof b === "number") return Math.abs(a - b) <= tolerance;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return (
    keys.length === right.size &&
    keys.every(
      (key) => right.has(key) && isSameValue(left.get(key) ?? null, right.get(key) ?? null, tolerance),
    )
  );
}
