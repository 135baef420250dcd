/** Godot's documentation markup as plain text with back-quotes; of its examples only those in GDScript. */
export function docText(markup: string): string {
  return dedent(markup)
    .replace(/\[csharp\b[^\]]*\][\s\S]*?\[\/csharp\]\n?/g, "")
    .replace(/\[\/?codeblocks\]\n?/g, "")
    .replace(/\[(?:gdscript|codeblock)\b[^\]]*\]\n?/g, "```gdscript\n")
    .replace(/\n?\s*\[\/(?:gdscript|codeblock)\]/g, "\n```")
    .replace(/\[code\b[^\]]*\]([\s\S]*?)\[\/code\]/g, "`$1`")
    .replace(
      /\[(?:method|member|signal|constant|enum|param|annotation|theme_item|constructor|operator)\s+([^\]]+)\]/g,
      "`$1`",
    )
    .replace(/\[url=([^\]]*)\]([\s\S]*?)\[\/url\]/g, "$2 ($1)")
    .replace(/\[\/?(?:b|i|u|s|center|kbd|br)\]/g, "")
    .replace(/\[(@?[A-Z]\w*)\]/g, "`$1`")
    .replace(/\[lb\]/g, "[")
    .replace(/\[rb\]/g, "]")
    .trim();
}

function dedent(text: string): string {
  const lines = text.split("\n");
  const indents = lines
    .filter((line) => line.trim() !== "")
    .map((line) => /^\t*/.exec(line)?.[0].length ?? 0);
  const common = Math.min(...indents, 99);
  return lines.map((line) => line.slice(Math.min(common, line.length))).join("\n");
}
