import type { JsonObject } from "@toolpact/contract";

/** Where a control stands in its parent: left, top, right and bottom as parts of the parent's size. */
const ANCHORS = {
  full: [0, 0, 1, 1],
  top_left: [0, 0, 0, 0],
  top: [0.5, 0, 0.5, 0],
  top_right: [1, 0, 1, 0],
  left: [0, 0.5, 0, 0.5],
  center: [0.5, 0.5, 0.5, 0.5],
  right: [1, 0.5, 1, 0.5],
  bottom_left: [0, 1, 0, 1],
  bottom: [0.5, 1, 0.5, 1],
  bottom_right: [1, 1, 1, 1],
  top_wide: [0, 0, 1, 0],
  bottom_wide: [0, 1, 1, 1],
  left_wide: [0, 0, 0, 1],
  right_wide: [1, 0, 1, 1],
} as const;

export type Layout = keyof typeof ANCHORS;

export const LAYOUTS = Object.keys(ANCHORS) as [Layout, ...Layout[]];

/** The anchors of a layout, and that a control grows away from the edge it is at. */
export function layoutProperties(layout: Layout): JsonObject {
  const [left, top, right, bottom] = ANCHORS[layout];
  const grow = (from: number, to: number) => (from === to ? (from === 1 ? 0 : from === 0 ? 1 : 2) : 2);
  return {
    anchor_left: left,
    anchor_top: top,
    anchor_right: right,
    anchor_bottom: bottom,
    grow_horizontal: grow(left, right),
    grow_vertical: grow(top, bottom),
  };
}
