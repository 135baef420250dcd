import { isJsonObject } from "@toolpact/contract/internal";
import { inSlices } from "../../formats/document.ts";
import { findingChangedLines, type RenamePlan } from "../../graph/rename-plan.ts";
import { lineOf } from "../../language/language-server.ts";
import type { LanguageWork } from "./language-action.ts";

/** With more uncertain lines than this, none are checked. */
const MAX_LINES = 300;

/**
 * Uncertain lines whose uses of a name all refer to a renamed declaration, according to Godot's language server, as
 * `path:line`. It resolves casts, members, autoloads and list items, which the files alone do not show.
 * Empty without a trusted project and Godot.
 */
export async function provenUses(
  { project, workspace: { language }, signal }: LanguageWork,
  name: string,
  { texts, uncertain }: RenamePlan,
): Promise<string[]> {
  const uses = uncertain.filter(({ path }) => path.endsWith(".gd")).slice(0, MAX_LINES);
  if (uses.length === 0) return [];
  const renamed = new Set<string>();
  for (const [path, { before, after }] of texts)
    for (const { line } of await inSlices(findingChangedLines(path, before, after)))
      renamed.add(`${path}:${line}`);
  const proven = new Set<string>();
  for (const { path, line } of uses) {
    const text = (await project.textOf(path)) ?? "";
    const columns = columnsOf(text.split("\n")[line - 1] ?? "", name);
    let count = 0;
    for (const column of columns) {
      const answer = await language.ask("textDocument/definition", path, text, { line, column }, signal);
      if (!answer.ok) return [];
      const places = Array.isArray(answer.value) ? answer.value : [answer.value];
      const at = places.find(isJsonObject);
      if (at !== undefined && renamed.has(`${language.pathOf(at.uri)}:${lineOf(at.range)}`)) count++;
    }
    if (count > 0 && count === columns.length) proven.add(`${path}:${line}`);
  }
  return [...proven];
}

/** The 1-based columns of a name as a whole word. */
function columnsOf(line: string, name: string): number[] {
  const columns: number[] = [];
  for (let at = line.indexOf(name); at !== -1; at = line.indexOf(name, at + 1))
    if (!/[\p{L}\p{N}_]/u.test(`${line[at - 1] ?? " "}${line[at + name.length] ?? " "}`))
      columns.push(at + 1);
  return columns;
}
