import type { Post } from "../world/post.ts";
import type { Readable, Timeline } from "../world/timeline.ts";
import type { World } from "../world/world.ts";
import { type Clause, clauseOf } from "./clauses.ts";

export interface Query {
  readonly matches: (post: Post, world: World) => boolean;
  /** The shortest list that contains every match. */
  readonly candidates: (world: World) => Readable;
}

export type ParsedQuery = { readonly query: Query } | { readonly complaint: string };

/** Space (AND), `OR`, `-` and parentheses. */
export function parseQuery(text: string): ParsedQuery {
  const reader = new QueryReader(text);
  const tree = reader.readAny();
  if (reader.complaint === undefined && !reader.done)
    reader.complaint = "There is a closing parenthesis too many.";
  if (reader.complaint !== undefined) return { complaint: reader.complaint };
  if (!standsAlone(tree)) {
    return {
      complaint: "The query must have at least one clause that can stand alone, such as a keyword or from:.",
    };
  }
  return {
    query: {
      matches: (post, world) => holds(tree, post, world),
      candidates: (world) => candidatesOf(tree, world),
    },
  };
}

type Tree =
  | { readonly kind: "all" | "any"; readonly parts: readonly Tree[] }
  | { readonly kind: "not"; readonly part: Tree }
  | { readonly kind: "clause"; readonly clause: Clause };

function holds(tree: Tree, post: Post, world: World): boolean {
  switch (tree.kind) {
    case "all":
      return tree.parts.every((part) => holds(part, post, world));
    case "any":
      return tree.parts.some((part) => holds(part, post, world));
    case "not":
      return !holds(tree.part, post, world);
    case "clause":
      return tree.clause.test(post, world);
  }
}

function standsAlone(tree: Tree): boolean {
  switch (tree.kind) {
    case "all":
      return tree.parts.some(standsAlone);
    case "any":
      return tree.parts.length > 0 && tree.parts.every(standsAlone);
    case "not":
      return false;
    case "clause":
      return tree.clause.standsAlone;
  }
}

function candidatesOf(tree: Tree, world: World): Readable {
  const parts = tree.kind === "all" ? tree.parts : [tree];
  let shortest: Timeline = world.timeline;
  for (const part of parts) {
    const list = part.kind === "clause" ? part.clause.list?.(world) : undefined;
    if (list !== undefined && list.size < shortest.size) shortest = list;
  }
  return shortest;
}

class QueryReader {
  readonly #tokens: readonly string[];
  #next = 0;
  complaint: string | undefined;

  constructor(text: string) {
    this.#tokens = text.match(/-?\(|\)|-?(?:[\w.]+:)?"[^"]*"|[^\s()]+/g) ?? [];
  }

  get done(): boolean {
    return this.#next >= this.#tokens.length;
  }

  readAny(): Tree {
    const parts = [this.#readAll()];
    while (this.#tokens[this.#next] === "OR") {
      this.#next++;
      parts.push(this.#readAll());
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind: "any", parts };
  }

  #readAll(): Tree {
    const parts: Tree[] = [];
    for (
      let token = this.#tokens[this.#next];
      token !== undefined && token !== "OR" && token !== ")";
      token = this.#tokens[this.#next]
    ) {
      if (token === "AND") this.#complain("AND is not an operator; put a space between clauses.");
      this.#next++;
      parts.push(this.#readOne(token));
    }
    if (parts.length === 0) this.#complain("A clause is missing.");
    return { kind: "all", parts };
  }

  #readOne(token: string): Tree {
    if (token.startsWith("-")) return { kind: "not", part: this.#readOne(token.slice(1)) };
    if (token === "(") {
      const group = this.readAny();
      if (this.#tokens[this.#next] === ")") this.#next++;
      else this.#complain("A closing parenthesis is missing.");
      return group;
    }
    const read = clauseOf(token);
    if ("complaint" in read) {
      this.#complain(read.complaint);
      return { kind: "all", parts: [] };
    }
    return { kind: "clause", clause: read };
  }

  #complain(complaint: string): void {
    this.complaint ??= complaint;
  }
}
