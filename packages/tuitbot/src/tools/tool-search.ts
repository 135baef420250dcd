import { type Findable, wordSearch } from "@toolpact/contract/internal";
import type { Guide } from "../app/services.ts";
import type { TuitbotTool } from "../guards/call/tool-facts.ts";
import { synonyms } from "./synonyms.ts";

/** Best first. */
export function toolSearch(tools: readonly TuitbotTool[]): (task: string) => readonly TuitbotTool[] {
  const search = wordSearch(tools.map(findable), synonyms);
  return (task) => search(withoutVerb(task)).map(({ item }) => item);
}

export function guideSearch(guides: readonly Guide[]): (task: string) => readonly Guide[] {
  const entries = guides.map((item) => ({ item, names: [item.name], text: item.description }));
  const search = wordSearch(entries, synonyms);
  return (task) =>
    search(task)
      .filter(({ score }) => score >= GOOD_GUIDE)
      .map(({ item }) => item);
}

const GOOD_GUIDE = 30;

function findable(item: TuitbotTool): Findable<TuitbotTool> {
  return {
    item,
    names: [item.name.replace(/^x_(?:v2_)?/, ""), withoutVerb(item.title)],
    phrases: item.searchWords.split(", "),
    text: `${withoutVerb(item.description)} ${item.category}`,
  };
}

/** "List my mentions" is about mentions, not lists. */
function withoutVerb(text: string): string {
  return text.replace(/^list (?=\S+ )/i, "");
}
