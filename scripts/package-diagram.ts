import { packages } from "./packages.ts";

/** As a Mermaid flowchart. Arrows that follow from others are left out. */
export function packageDiagram(): string {
  const published = packages().filter(({ isPrivate }) => !isPrivate);
  const known = new Map(published.map((pkg) => [pkg.name, pkg.dependencies]));
  const below = (name: string): readonly string[] =>
    (known.get(name) ?? []).flatMap((dependency) => [dependency, ...below(dependency)]);
  const id = (name: string) => name.replace("@toolpact/", "");
  const boxes = published.map(({ name }) => `  ${id(name)}["${name}"]`);
  const arrows = published.flatMap(({ name, dependencies }) => {
    const indirect = new Set(dependencies.flatMap(below));
    return dependencies
      .filter((dependency) => known.has(dependency) && !indirect.has(dependency))
      .map((dependency) => `  ${id(name)} --> ${id(dependency)}`);
  });
  return ["flowchart RL", ...boxes, ...arrows].join("\n");
}
