export interface ArticleContent {
  readonly blocks: readonly Block[];
  readonly entities: readonly [];
}

interface Block {
  readonly type: BlockType;
  readonly text: string;
  readonly inline_style_ranges?: readonly StyleRange[];
}

type BlockType =
  | "unstyled"
  | "blockquote"
  | `header-${"one" | "two" | "three"}`
  | `${"un" | ""}ordered-list-item`;

interface StyleRange {
  readonly offset: number;
  readonly length: number;
  readonly style: "bold" | "italic";
}

const KINDS: readonly (readonly [mark: RegExp, type: BlockType])[] = [
  [/^### +/, "header-three"],
  [/^## +/, "header-two"],
  [/^# +/, "header-one"],
  [/^[-*] +/, "unordered-list-item"],
  [/^\d+\. +/, "ordered-list-item"],
  [/^> ?/, "blockquote"],
];

/** Headings, lists, quotes, `**bold**` and `*italic*`. Each line is a block. */
export function articleContent(markdown: string): ArticleContent {
  const lines = markdown.split(/\r?\n/).filter((line) => line.trim() !== "");
  return { blocks: lines.map(blockOf), entities: [] };
}

function blockOf(line: string): Block {
  const kind = KINDS.find(([mark]) => mark.test(line));
  const rest = kind === undefined ? line : line.replace(kind[0], "");
  let text = "";
  const ranges: StyleRange[] = [];
  for (const part of rest.split(/(\*\*[^*]+\*\*|\*[^\s*](?:[^*]*[^\s*])?\*)/)) {
    const stars = /^\*+/.exec(part)?.[0].length ?? 0;
    const isStyled = stars > 0 && part.length > 2 * stars && part.endsWith("*".repeat(stars));
    const plain = isStyled ? part.slice(stars, -stars) : part;
    if (isStyled)
      ranges.push({ offset: text.length, length: plain.length, style: stars === 2 ? "bold" : "italic" });
    text += plain;
  }
  return { type: kind?.[1] ?? "unstyled", text, ...(ranges.length > 0 && { inline_style_ranges: ranges }) };
}
