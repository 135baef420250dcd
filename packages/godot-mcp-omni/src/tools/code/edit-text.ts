import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { commitFiles } from "../../drivers/commit/commit-files.ts";
import { errors, type Result } from "../../errors.ts";
import { changedLines } from "../../formats/changed-lines.ts";
import { matchInTime } from "../../formats/regular-expression.ts";
import { problem } from "../../operations/results.ts";
import type { Project } from "../../project/project.ts";
import { count as amount, text as line, list } from "../../shapes.ts";
import * as p from "../params.ts";
import type { EditCode, ToolAnswer } from "../product.ts";
import { checkedContent } from "./files.ts";

export const textEdit = z.strictObject({
  path: p.path,
  find: z.string().describe("Exact text, or a regular expression"),
  replace: z.string().describe("New text; $1 is a group"),
  regex: z.boolean().optional().describe("find is a regular expression"),
  maxReplacements: z.int().min(1).max(10_000).optional().describe("Refuse more; default: 1"),
  dryRun: z.boolean().optional().describe("Only show what would change"),
});

type TextEdit = z.infer<typeof textEdit>;

const changedPart = z.strictObject({ line: amount, old: list(line), new: list(line) });

export const textEdited = z.strictObject({
  path: line,
  /** The number of replacements. */
  count: amount,
  changed: changedPart,
  dryRun: z.boolean(),
  /** The compiler's problems with a script, if an engine is running. */
  problems: list(problem).exactOptional(),
});

const MAX_LINES = 40;

/** Replaces text in one pass: the new text is not searched again. */
export async function editText(
  project: Project,
  edit: TextEdit,
): Promise<ToolAnswer<z.infer<typeof textEdited>, EditCode>> {
  const pattern = patternOf(edit);
  if (!pattern.ok) return pattern;
  const place = await project.resolve(edit.path);
  if (!place.ok) return place;
  return project.inTurn(
    place.value.res,
    async (): Promise<ToolAnswer<z.infer<typeof textEdited>, EditCode>> => {
      const read = await project.readText(edit.path);
      if (!read.ok) return read;
      const { text, path } = read.value;
      const replaced = replaceAll(text, pattern.value, edit);
      if (!replaced.ok) return replaced;
      const { places, next } = replaced.value;
      const most = edit.maxReplacements ?? 1;
      if (places.length === 0)
        return errors.fail("E_NOT_FOUND", `The text to find is not in ${path.res}.`, {
          details: { path: path.res },
          suggestedFix: "Read the file first; spaces and tabs count.",
        });
      if (places.length > most)
        return errors.fail(
          "E_SCHEMA_VALIDATION",
          `It is in ${path.res} ${places.length} times, and ${most} may be replaced.`,
          {
            details: { count: places.length, lines: places.slice(0, 20).map((at) => lineOf(text, at)) },
            suggestedFix: "Find more of the text around it, or raise maxReplacements.",
          },
        );
      const refused = checkedContent(path.res, next);
      if (refused !== undefined) return refused;
      if (!edit.dryRun && next !== text) {
        const written = await commitFiles(project, `edit ${path.res}`, [{ path, content: next, was: text }]);
        if (!written.ok) return written;
      }
      const { line, old, now } = changedLines(text, next);
      return ok(
        {
          path: path.res,
          count: places.length,
          changed: { line, old: old.slice(0, MAX_LINES), new: now.slice(0, MAX_LINES) },
          dryRun: edit.dryRun ?? false,
        },
        {
          summary: `${edit.dryRun ? "Would replace" : "Replaced"} ${places.length} ${places.length === 1 ? "place" : "places"} in ${path.res}.`,
          execution: { mode: "files" },
          ...(!edit.dryRun && { files: [{ kind: "file", pathAbs: path.absolute, resPath: path.res }] }),
        },
      );
    },
  );
}

function patternOf({ find, regex }: TextEdit): Result<RegExp, "E_SCHEMA_VALIDATION"> {
  const source = regex ? find : find.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  try {
    return ok(new RegExp(source, "gmu"));
  } catch (error) {
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `find is not a regular expression: ${(error as Error).message}.`,
    );
  }
}

function replaceAll(
  text: string,
  pattern: RegExp,
  { regex, replace }: TextEdit,
): Result<{ readonly places: readonly number[]; readonly next: string }, "E_TIMEOUT"> {
  // A plain text is inserted literally; only an expression has groups.
  const instead = regex ? replace : () => replace;
  const values = { text, pattern, instead };
  const places = matchInTime<number[]>("Array.from(text.matchAll(pattern), (match) => match.index)", values);
  const next = places && matchInTime<string>("text.replace(pattern, instead)", values);
  if (places === undefined || next === undefined)
    return errors.fail("E_TIMEOUT", "The expression takes too long on this file.", {
      suggestedFix: "Write it without nested repetitions, or find plain text.",
      fixBy: "agent",
    });
  return ok({ places: [...places], next });
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}
