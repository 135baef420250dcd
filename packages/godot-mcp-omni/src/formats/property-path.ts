/**
 * The parts of `position:x`, `shape:size` or `tile_set:sources/0:1:2/0/probability`. The name of a tile's property begins
 * with its place in the atlas, as `1:2/0/probability` does, and is one part.
 */
export function propertyPath(name: string): string[] {
  return name.split(/(?<!(?:^|:)\d+):|:(?!\d+\/)/);
}
