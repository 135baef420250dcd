import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { searchingSymbols, searchingText } from "../../graph/search.ts";
import type { PathCode } from "../../project/project-path.ts";
import { count as amount, list, maybe, text } from "../../shapes.ts";
import * as p from "../params.ts";
import { ANY_CODE, count, EDIT, FOLDER, PATH, product, READ, type ToolAnswer } from "../product.ts";
import {
  findProblems,
  findUses,
  type GraphWork,
  graphInput,
  graphPart,
  overview,
  problemsFound,
  problemsInput,
  projectGraph,
  projectOverview,
  usesFound,
  usesInput,
} from "./graph-actions.ts";
import { happened, happensInput, whatHappens } from "./happens-action.ts";
import { askLanguageServer, languageAnswer, languageInput } from "./language-action.ts";
import { pageInput, pageOf, pageShape } from "./pages.ts";
import { rename, renamed, renameInput } from "./rename-action.ts";
import { checkSpace, spatialFound, spatialInput } from "./spatial-action.ts";

const SYMBOLS = ["class", "method", "signal", "variable", "constant", "enum", "node"] as const;

const searchInput = z.strictObject({
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

const searchFound = z.strictObject({ matches: list(match), ...pageShape });

export const understandTool = product.defineActionTool({
  name: "godot_understand",
  title: "Project graph, search and rename",
  description:
    "See how the files of a project use each other: who uses this, what breaks if it moves, what is unused, missing or circular; search text and names, and rename things with all their uses. It works on files alone, so nothing of the project runs; only language, and the check after a rename, start Godot.",
  category: "understand",
  openWorld: false,
  profiles: ["full"],
  needs: ["project", "workspace", "settings"],
  errors: ANY_CODE,
  deadlineMs: 180_000,
  goOn: "Read on from nextOffset with offset.",
  actions: (action) => ({
    overview: action({
      description: "Count files by kind, and list autoloads, classes, input actions, groups and problems.",
      effect: "none",
      errors: [],
      input: z.strictObject({}),
      output: overview,
      handler: (_input, work) => projectOverview(work),
    }),
    graph: action({
      description:
        "Get which file uses which, around a file or in the whole project, as JSON or as a picture in Mermaid or SVG.",
      effect: "none",
      errors: FOLDER,
      input: graphInput,
      output: graphPart,
      handler: (input, work) => projectGraph(work, input),
    }),
    uses: action({
      description:
        "Find who uses a file, class, signal, method, group, input action, autoload or node, and what breaks if a file moves.",
      effect: "none",
      errors: FOLDER,
      input: usesInput,
      output: usesFound,
      handler: (input, work) => findUses(work, input),
    }),
    happens: action({
      description:
        "Follow what happens when a signal is emitted, an input action is pressed or a method is called: handlers, calls, signals, scene changes and values set, across files.",
      effect: "none",
      errors: ["E_NOT_FOUND"],
      input: happensInput,
      output: happened,
      handler: (input, work) => whatHappens(work, input),
    }),
    search: action({
      description: "Find lines of files by text, or classes, methods, signals, variables and nodes by name.",
      effect: "none",
      errors: PATH,
      input: searchInput,
      output: searchFound,
      handler: (input, work) => search(work, input),
    }),
    rename: action({
      description:
        "Rename a file, class, method, signal or node with all its uses in scripts and scenes, as one edit that one undo takes back. What is uncertain is listed first and stays. If scripts no longer compile, it is taken back.",
      effect: "update",
      errors: EDIT,
      input: renameInput,
      output: renamed,
      handler: (input, work) => rename(work, input),
    }),
    problems: action({
      description: "Find unused files, references to missing files, cycles, or files that could not be read.",
      effect: "none",
      errors: PATH,
      input: problemsInput,
      output: problemsFound,
      handler: (input, work) => findProblems(work, input),
    }),
    spatial: action({
      description:
        "Check a scene for wrong collision shapes, overlaps, nodes off the screen, nodes that navigation does not reach and nodes without a purpose.",
      effect: "none",
      errors: READ,
      input: spatialInput,
      output: spatialFound,
      handler: (input, work) => checkSpace(work, input),
    }),
    language: action({
      description:
        "Ask Godot's language server about a script: its problems and symbols, and completion, hover or definition at a place. Starts an editor without a window, so the project must be trusted.",
      effect: "none",
      input: languageInput,
      output: languageAnswer,
      handler: (input, work) => askLanguageServer(work, input),
    }),
  }),
});

type Found = z.infer<typeof searchFound>;

async function search(
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
