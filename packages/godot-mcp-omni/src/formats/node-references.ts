/** A place in a script that names a node: `$Body/Sprite`, `$"../Other"`, `%Bar`, `get_node("Body")`. */
export interface NodeReference {
  /** Counted from 1. */
  readonly line: number;
  /** As the script says it, without marks and quotes: `Body/Sprite`, `%Bar/Fill`. */
  readonly path: string;
  /** Where it begins in its line, and how long it is. */
  readonly start: number;
  readonly length: number;
  /** How the script would say another path in its place. */
  readonly written: (path: string) => string;
}

const WORDS = String.raw`%?[A-Za-z_]\w*(?:\/%?[A-Za-z_]\w*)*`;

/** Comments and other texts come first, so that what they contain names nothing. */
const TOKENS = new RegExp(
  [
    String.raw`#[^\n]*|"""[\s\S]*?"""|'''[\s\S]*?'''`,
    String.raw`(?<call>\$|\^|(?:get_node|get_node_or_null|has_node)\(\s*\^?|)(?<quote>["'])(?<quoted>(?:(?!\k<quote>)[^\\\n]|\\.)*)\k<quote>`,
    String.raw`\$(?<plain>${WORDS})`,
    String.raw`(?<![\w)\]"'.][ \t]*)(?<unique>%[A-Za-z_]\w*(?:\/%?[A-Za-z_]\w*)*)`,
    String.raw`(?<=\b(?:return|in|and|or|not|if|elif|while|await|else|match|is|as)[ \t]+)(?<after>%[A-Za-z_]\w*(?:\/%?[A-Za-z_]\w*)*)`,
  ].join("|"),
  "g",
);

export function nodeReferences(source: string): NodeReference[] {
  const found: NodeReference[] = [];
  for (const match of source.matchAll(TOKENS)) {
    const { call, quote = '"', quoted, plain, unique, after } = match.groups ?? {};
    const path = plain ?? unique ?? after ?? (call ? quoted : undefined);
    if (path === undefined || path === "") continue;
    const start = source.lastIndexOf("\n", match.index) + 1;
    found.push({
      line: source.slice(0, start).split("\n").length,
      path,
      start: match.index - start,
      length: match[0].length,
      written(next) {
        if (call) return `${call}${quote}${next}${quote}`;
        if (!new RegExp(`^${WORDS}$`).test(next)) return `$"${next}"`;
        return plain === undefined && next.startsWith("%") ? next : `$${next}`;
      },
    });
  }
  return found;
}
