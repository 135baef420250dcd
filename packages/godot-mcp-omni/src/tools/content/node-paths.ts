import { posix } from "node:path";

/** Where a path leads that begins at a node; both are from the scene's root, which is `.`. */
export function follow(node: string, path: string): string {
  return posix.join(node, path).replace(/\/$/, "");
}

/** The path from one node to another, both from the scene's root. */
export function pathBetween(from: string, to: string): string {
  return posix.relative(`/${from}`, `/${to}`) || ".";
}
