import { ScriptTokens } from "./script-tokens.ts";

/** A reference to a node in a script: `$Body/Sprite`, `$"../Other"`, `%Bar`, `get_node("Body")`. */
export interface NodeReference {
  /** 1-based. */
  readonly line: number;
  /** Without marks and quotes: `Body/Sprite`, `%Bar/Fill`. */
  readonly path: string;
  /** Its offset in the line, and its length. */
  readonly start: number;
  readonly length: number;
  /** True for calls that tolerate a missing node: `get_node_or_null`, `has_node`. */
  readonly mayMiss: boolean;
  /** Writes another path in the same notation. */
  readonly written: (path: string) => string;
}

const PLAIN = /^%?[\p{L}_][\p{L}\p{N}_]*(?:\/%?[\p{L}_][\p{L}\p{N}_]*)*$/u;

export const NODE_CALLS: ReadonlySet<string> = new Set(["get_node", "get_node_or_null", "has_node"]);

export function nodeReferences(source: string): NodeReference[] {
  const found: NodeReference[] = [];
  const token = new ScriptTokens(source);
  // The last two tokens: a string after `get_node(` names a node.
  let before = "";
  let last = "";
  while (token.next()) {
    const path = pathOf(token, NODE_CALLS.has(before) && last === "(");
    if (path !== undefined && path !== "")
      found.push({
        line: token.line,
        path,
        start: token.start - token.lineStart,
        length: token.end - token.start,
        mayMiss: token.kind === "text" && before !== "get_node",
        written: writing(token.text(), token.kind === "path"),
      });
    if (token.kind === "comment") continue;
    before = last;
    last = token.kind === "word" || token.kind === "mark" ? token.text() : "";
  }
  return found;
}

/** The path that a token names: a string after `get_node(`, or one with `^` anywhere. */
export function pathOf(token: ScriptTokens, isArgument: boolean): string | undefined {
  if (token.kind === "path") {
    const path = token.value();
    return /^%["']/.test(token.text().slice(0, 2)) ? `%${path}` : path;
  }
  const isPath = token.kind === "text" && (isArgument || token.source[token.start] === "^");
  return isPath ? token.value() : undefined;
}

function writing(text: string, isMarked: boolean): (path: string) => string {
  const [, lead = "", quote = ""] = /^([^"']*)(["'])/.exec(text) ?? [];
  return (next) => {
    if (quote !== "" && lead !== "%") return `${lead}${quote}${next}${quote}`;
    if (isMarked && !PLAIN.test(next)) return `$"${next}"`;
    return text.startsWith("%") && next.startsWith("%") ? next : `$${next}`;
  };
}
