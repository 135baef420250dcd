import type { CodeSymbol, FileReference } from "./file-facts.ts";
import { edgesOf, fileOf, type ProjectGraph } from "./project-graph.ts";

/** The script that a script extends; undefined where that is a class of the engine. */
export function baseScript(graph: ProjectGraph, path: string): string | undefined {
  const facts = graph.files.get(path);
  const base = facts?.extends;
  if (base === undefined) return undefined;
  const named = graph.classes.get(base);
  if (named !== undefined) return named;
  return base.includes("://") ? edgesOf(graph, path).find(({ kind }) => kind === "extends")?.to : undefined;
}

const DEEPEST = 50;

/**
 * The script of a node in a scene, through instances and base scenes. Undefined where it has none, null where the files
 * do not tell, as for a script inside of the scene.
 */
export function scriptOfNode(
  graph: ProjectGraph,
  scene: string,
  path: string,
  depth = 0,
): string | undefined | null {
  const facts = graph.files.get(scene);
  if (facts === undefined || facts.problem !== undefined || depth > DEEPEST) return null;
  const nodes = new Map(
    facts.symbols.flatMap((each): [string, CodeSymbol][] =>
      each.kind === "node" ? [[each.name, each]] : [],
    ),
  );
  const own = nodes.get(path);
  if (own?.script === "built-in") return null;
  if (own?.script !== undefined) return fileOf(graph, own.script) ?? null;
  const below = (reference: FileReference, rest: string) => {
    const file = fileOf(graph, reference);
    return file?.endsWith(".tscn") ? scriptOfNode(graph, file, rest, depth + 1) : null;
  };
  if (own?.instance !== undefined) return below(own.instance, ".");
  if (own?.of !== undefined) return undefined;
  // A node of an instance, or of the base scene.
  for (let above = path; above.includes("/"); ) {
    above = above.slice(0, above.lastIndexOf("/"));
    const holder = nodes.get(above);
    if (holder?.instance !== undefined) return below(holder.instance, path.slice(above.length + 1));
  }
  const base = nodes.get(".")?.instance;
  return base === undefined || path === "." ? undefined : below(base, path);
}
