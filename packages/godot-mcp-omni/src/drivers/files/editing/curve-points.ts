import { parseVariant, type Variant, writeVariant } from "../../../formats/variant.ts";

/** The points of a Curve2D or Curve3D, stored in one value: `in`, `out` and `position` of each in turn. */
export interface CurvePoints {
  readonly numbers: readonly number[];
  readonly tilts: readonly number[];
}

const PARTS: readonly (string | undefined)[] = ["in", "out", "position"];
const SIZES: Readonly<Record<string, number>> = { Curve2D: 2, Curve3D: 3 };

/** A part such as `point_0/position`; undefined if the name or the type has none. */
export function curvePart(type: string | undefined, name: string) {
  const size = SIZES[type ?? ""];
  const [, index, part] = /^point_(\d+)\/(in|out|position|tilt)$/.exec(name) ?? [];
  if (size === undefined || index === undefined || (part === "tilt" && size === 2)) return undefined;
  return { index: Number(index), part, size };
}

export function isCurve(type: string | undefined): type is "Curve2D" | "Curve3D" {
  return type !== undefined && type in SIZES;
}

/** Reads the text of `_data`, with `point_count` points. */
export function curvePoints(type: string, data: string | undefined, count: number): CurvePoints {
  const parsed = parseVariant(data ?? "{}");
  const entries = parsed.ok && parsed.value.kind === "dictionary" ? parsed.value.entries : [];
  const held = (key: string): number[] => {
    const value = entries.find(([name]) => name.kind === "string" && name.value === key)?.[1];
    if (value?.kind !== "call") return [];
    return value.args.map((part) => (part.kind === "number" ? Number(part.text) : 0));
  };
  const filled = (numbers: readonly number[], length: number) =>
    Array.from({ length }, (_, index) => numbers[index] ?? 0);
  const size = SIZES[type] ?? 2;
  return {
    numbers: filled(held("points"), count * size * PARTS.length),
    tilts: filled(held("tilts"), count),
  };
}

export function withPart(
  { numbers, tilts }: CurvePoints,
  { index, part, size }: NonNullable<ReturnType<typeof curvePart>>,
  values: readonly number[],
): CurvePoints {
  if (part === "tilt") return { numbers, tilts: tilts.with(index, values[0] ?? 0) };
  const start = (index * PARTS.length + PARTS.indexOf(part)) * size;
  return { tilts, numbers: numbers.toSpliced(start, size, ...values) };
}

/** Writes the text of `_data`. */
export function curveData(type: string, { numbers, tilts }: CurvePoints): string {
  const packed = (name: string, list: readonly number[]): Variant => ({
    kind: "call",
    name,
    args: list.map((value) => ({ kind: "number", text: String(value) })),
  });
  const points = packed(type === "Curve2D" ? "PackedVector2Array" : "PackedVector3Array", numbers);
  const entries: [Variant, Variant][] = [[{ kind: "string", value: "points" }, points]];
  if (type === "Curve3D")
    entries.push([{ kind: "string", value: "tilts" }, packed("PackedFloat32Array", tilts)]);
  return writeVariant({ kind: "dictionary", entries });
}
