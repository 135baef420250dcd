import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { searchingSymbols, searchingText } from "../../graph/search.ts";
import type { PathCode } from "../../project/project-path.ts";
import { count as amount, list, maybe, text } from "../../shapes.ts";
import { count } from "../counted.ts";
import * as p from "../params.ts";
import type { ToolAnswer } from "../tool-answer.ts";
import type { GraphWork } from "./graph-actions.ts";
import { pageInput, pageOf, pageShape } from "./pages.ts";

const SYMBOLS = ["class", "method", "signal", "variable", "constant", "enum", "node"] as const;

export const searchInput = z.strictObject({
  query: z.string().min(1).max(500).describe("Part of a line, or of a name"),
  what: z
    .enum(["text", "symbol", ...SYMBOLS])
    .optional()
    .describe("text: lines of files (default); symbol: names of any kind"),
  folder: p.folder,
  exact: z.boolean().optional().describe("Upper and lower case count; default: false"),
  word: z.boolean().optional().describe("Whole words of a text only"),
  ...pageInput,
});

const match = z.strictObject({
  path: text,
  line: amount,
  text: maybe,
  kind: z.enum(SYMBOLS).exactOptional(),
  name: maybe,
  of: maybe,
});

export const searchFound = z.strictObject({ matches: list(match), ...pageShape });

type Found = z.infer<typeof searchFound>;

export async function search(
  { project, workspace }: GraphWork,
  { query, what = "text", folder, exact = false, word = false, ...page }: z.infer<typeof searchInput>,
): Promise<ToolAnswer<Found, PathCode>> {
  const place = await project.resolve(folder ?? "res://");
  if (!place.ok) return place;
  const within = place.value.res === "res://" ? "res://" : `${place.value.res}/`;
  return workspace.index.use(function* (graph): Generator<void, ToolAnswer<Found, never>> {
    const all: readonly z.infer<typeof match>[] =
      what === "text"
        ? yield* searchingText(graph, { text: query, isExact: exact, isWord: word, within })
        : (yield* searchingSymbols(graph, {
            text: query,
            within,
            kind: what === "symbol" ? undefined : what,
          })).map(({ path, line, kind, name, of }) => ({
            path,
            line,
            kind,
            name,
            ...(of !== undefined && { of }),
          }));
    const { items, ...more } = pageOf(all, page);
    const where = new Set(all.map(({ path }) => path)).size;
    return ok(
      { matches: items, ...more },
      {
        summary: `${count(all.length, what === "text" ? "line" : "name")} in ${count(where, "file")}.`,
        execution: { mode: "files" },
      },
    );
  });
}
