import { words } from "../text/words.ts";

/** The name of a tool in the words of the page; for rare ones, its own name as words. */
export function toolName(tool: string): string {
  const known = words.inbox.titles[tool];
  if (known !== undefined) return known;
  const text = tool
    .replace(/^x_(v2_)?/, "")
    .replaceAll("_", " ")
    .replace(/\btweet/g, "post");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
