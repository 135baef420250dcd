import { posix } from "node:path";

/** True if `path` is `above` or a node below it. */
export function isWithin(path: string, above: string): boolean {
  return above === "." || path === above || path.startsWith(`${above}/`);
}

export function joined(parent: string, name: string): string {
  return parent === "." ? name : `${parent}/${name}`;
}

export function parentOf(path: string): string {
  const cut = path.lastIndexOf("/");
  return cut === -1 ? "." : path.slice(0, cut);
}

/** The relative path between two nodes, both given from the root: `../B` from `A` to `B`. */
export function pathBetween(from: string, to: string): string {
  const start = from === "." ? [] : from.split("/");
  const end = to === "." ? [] : to.split("/");
  let shared = 0;
  while (shared < start.length && start[shared] === end[shared]) shared++;
  const way = [...start.slice(shared).map(() => ".."), ...end.slice(shared)];
  return way.length === 0 ? "." : way.join("/");
}

/** Resolves a path that starts at a node. Both are given from the scene's root, which is `.`. */
export function follow(node: string, path: string): string {
  return posix.join(node, path).replace(/\/$/, "");
}

/**
 * The parts of `position:x`, `shape:size` or `tile_set:sources/0:1:2/0/probability`. The name of a tile's property begins
 * with its place in the atlas, as `1:2/0/probability` does, and is one part.
 */
export function propertyPath(name: string): string[] {
  return name.split(/(?<!(?:^|:)\d+):|:(?!\d+\/)/);
}
