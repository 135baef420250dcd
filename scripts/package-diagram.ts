import { packages } from "./packages.ts";

/** As a Mermaid flowchart. */
export function packageDiagram(): string {
  const published = packages().filter(({ isPrivate }) => !isPrivate);
  const id = (name: string) => name.replace("@toolpact/", "");
  const boxes = published.map(({ name }) => `  ${id(name)}["${name}"]`);
  const arrows = published.flatMap(({ name, dependencies }) =>
    dependencies
      .filter((dependency) => published.some((other) => other.name === dependency))
      .map((dependency) => `  ${id(name)} --> ${id(dependency)}`),
  );
  return ["flowchart RL", ...boxes, ...arrows].join("\n");
}
