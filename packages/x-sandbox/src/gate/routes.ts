import { type Operation, operations } from "@toolpact/x-api/operations";
import { percentDecoded } from "../http/exchange.ts";

export interface Route {
  readonly operation: Operation;
  readonly path: ReadonlyMap<string, string>;
}

/** Fixed segments win over parameters. */
export function routeOf(method: string, path: string): Route | undefined {
  const values: string[] = [];
  const leaf = find(trees.get(method), path.split("/"), 1, values);
  if (leaf === undefined) return undefined;
  return { operation: leaf.operation, path: new Map(leaf.names.map((name, i) => [name, values[i] ?? ""])) };
}

interface Leaf {
  readonly operation: Operation;
  readonly names: readonly string[];
}

interface Branch {
  readonly fixed: Map<string, Branch>;
  any: Branch | undefined;
  leaf: Leaf | undefined;
}

function find(
  branch: Branch | undefined,
  segments: readonly string[],
  depth: number,
  values: string[],
): Leaf | undefined {
  const segment = segments[depth];
  if (branch === undefined || segment === undefined) return branch?.leaf;
  const found = find(branch.fixed.get(segment), segments, depth + 1, values);
  if (found !== undefined || branch.any === undefined || segment === "") return found;
  values.push(percentDecoded(segment));
  const below = find(branch.any, segments, depth + 1, values);
  if (below === undefined) values.pop();
  return below;
}

const trees = plant();

function plant(): ReadonlyMap<string, Branch> {
  const roots = new Map<string, Branch>();
  for (const operation of Object.values(operations)) {
    let branch = roots.get(operation.method);
    if (branch === undefined) {
      branch = newBranch();
      roots.set(operation.method, branch);
    }
    const names: string[] = [];
    for (const segment of operation.path.split("/").slice(1)) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name !== undefined) {
        names.push(name);
        branch.any ??= newBranch();
        branch = branch.any;
      } else {
        const next: Branch = branch.fixed.get(segment) ?? newBranch();
        branch.fixed.set(segment, next);
        branch = next;
      }
    }
    branch.leaf = { operation, names };
  }
  return roots;
}

function newBranch(): Branch {
  return { fixed: new Map(), any: undefined, leaf: undefined };
}
