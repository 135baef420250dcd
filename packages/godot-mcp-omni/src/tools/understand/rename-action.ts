import { ok } from "@toolpact/outcome";
import * as z from "zod";
import type { Gates } from "../../config/gates.ts";
import { commitFiles } from "../../drivers/commit/commit-files.ts";
import type { Drivers } from "../../drivers/drivers.ts";
import { errors, type Result, unknownName } from "../../errors.ts";
import { inSlices } from "../../formats/document.ts";
import { loadClassTable } from "../../godot/class-table.ts";
import type { ProjectGraph } from "../../graph/project-graph.ts";
import { renamingClass, renamingMember } from "../../graph/rename-name.ts";
import {
  type ChangedLine,
  findingChangedLines,
  type RenamePlan,
  type UncertainUse,
} from "../../graph/rename-plan.ts";
import type { FileChange, Project } from "../../project/project.ts";
import { count as amount, list, text } from "../../shapes.ts";
import * as p from "../params.ts";
import { count, type EditCode, type ToolAnswer } from "../product.ts";
import { type GraphWork, place, thing } from "./graph-actions.ts";
import type { LanguageWork } from "./language-action.ts";
import { fileMove } from "./move-file.ts";
import { pageInput, pageOf, pageShape } from "./pages.ts";
import { provenUses } from "./proven-uses.ts";
import { nodeRename } from "./rename-node.ts";

export const renameInput = z.strictObject({
  target: z.enum(["file", "class", "method", "signal", "node"]).describe("What to rename"),
  path: place,
  name: thing,
  scene: p.sceneFile.optional(),
  to: z.string().min(1).describe("The new name; of a file its new path"),
  dryRun: z.boolean().optional().describe("Only show what would change"),
  also: z
    .array(z.string())
    .optional()
    .describe("Lines listed as uncertain to change too, such as res://main.gd:12"),
  force: z.boolean().optional().describe("Keep it although scripts no longer compile"),
  ...pageInput,
});

type RenameInput = z.infer<typeof renameInput>;

const changedLine = z.strictObject({ path: text, line: amount, before: text, after: text });

const uncertainUse = z.strictObject({ path: text, line: amount, text, why: text });

export const renamed = z.strictObject({
  from: text,
  to: text,
  /** The first of them. */
  files: list(text),
  fileCount: amount,
  changes: list(changedLine),
  uncertain: list(uncertainUse),
  uncertainTotal: amount,
  dryRun: z.boolean(),
  ...pageShape,
});

export type RenameWork = GraphWork & {
  readonly workspace: Pick<Drivers, "engine"> & LanguageWork["workspace"];
  readonly settings: Gates;
  readonly signal: AbortSignal;
};

/** A computed rename that has not been applied. */
export interface Worked {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly plan: RenamePlan;
  /** Files that are created or removed, in addition to those whose text changes. */
  readonly moves?: readonly FileChange[];
}

type Working = Promise<Result<Worked, EditCode>>;

const MAX_FILES = 10;

/** Renames something with all its uses as one edit, which one undo reverts. */
export async function rename(
  work: RenameWork,
  asked: RenameInput,
): Promise<ToolAnswer<z.infer<typeof renamed>, EditCode>> {
  const { project } = work;
  const { dryRun = false } = asked;
  const plain = await workOut(work, asked);
  if (!plain.ok) return plain;
  const isMember = asked.target === "method" || asked.target === "signal";
  const also = isMember ? await provenUses(work, plain.value.from, plain.value.plan) : [];
  const input: RenameInput = also.length === 0 ? asked : { ...asked, also: [...(asked.also ?? []), ...also] };
  const first = also.length === 0 ? plain : await workOut(work, input);
  if (!first.ok) return first;
  if (dryRun) return renameAnswer(first.value, input, await changesOf(project, first.value));
  const before = isMember ? await scriptErrors(work) : undefined;
  const touched = await changesOf(project, first.value);
  let entry: number | undefined;
  const done = await project.inTurn(
    touched.map(({ path }) => path.res),
    async (): Promise<ToolAnswer<z.infer<typeof renamed>, EditCode>> => {
      // Earlier work in the queue may have changed the files, so compute it again.
      const worked = await workOut(work, input);
      if (!worked.ok) return worked;
      const changes = await changesOf(project, worked.value);
      const written = await commitFiles(project, worked.value.label, changes);
      if (!written.ok) return written;
      [{ id: entry } = { id: undefined }] = await project.journal.entries(undefined, 1);
      return renameAnswer(worked.value, input, changes);
    },
  );
  if (!done.ok || before === undefined || entry === undefined) return done;
  const after = (await scriptErrors(work)) ?? [];
  const broken = after.filter((error) => !before.includes(error));
  if (broken.length === 0) return done;
  if (input.force) {
    const warnings = [...(done.notes?.warnings ?? []), `Scripts no longer compile: ${broken.join("; ")}`];
    return ok(done.value, { summary: "Renamed.", ...done.notes, warnings });
  }
  const undone = await project.step("undo", { id: entry });
  const { from, to, uncertain } = done.value;
  return errors.fail(
    "E_UNSUPPORTED",
    `Renaming ${from} to ${to} breaks scripts, so it was ${undone.ok ? "taken back" : "done and could not be taken back"}: ${broken[0]}`,
    {
      details: { problems: broken.slice(0, 20), uncertain: uncertain.slice(0, 20), restored: undone.ok },
      suggestedFix:
        "Name the lines of problems and uncertain that mean it in also, as path:line, or set force and fix them after it.",
      fixBy: "agent",
    },
  );
}

/** Errors of all scripts as texts, if Godot may open the project. */
async function scriptErrors({ workspace, signal }: RenameWork): Promise<readonly string[] | undefined> {
  const engine = await workspace.engine();
  const answer = engine.ok ? await engine.value.request("diagnostics", {}, { signal }) : undefined;
  if (!answer?.ok) return undefined;
  return answer.value.problems
    .filter(({ severity }) => severity === "error")
    .map(({ path, line, message }) => `${path}:${line} ${message}`);
}

async function workOut(work: RenameWork, input: RenameInput): Working {
  switch (input.target) {
    case "file":
      return fileMove(work, input.path ?? "", input.to, input.also);
    case "node":
      return nodeRename(work, input);
    case "class":
      return classRename(work, input);
    case "method":
    case "signal":
      return memberRename(work, input.target, input);
  }
}

async function changesOf(project: Project, { plan, moves = [] }: Worked): Promise<FileChange[]> {
  const changes: FileChange[] = [...moves];
  const moved = new Set(moves.map(({ path }) => path.res));
  for (const [res, { before, after }] of plan.texts) {
    const path = await project.resolve(res);
    if (path.ok && !moved.has(res)) changes.push({ path: path.value, content: after, was: before });
  }
  return changes;
}

async function renameAnswer(
  { from, to, plan }: Worked,
  { dryRun = false, ...page }: RenameInput,
  touched: readonly FileChange[],
): Promise<ToolAnswer<z.infer<typeof renamed>, never>> {
  const lines: ChangedLine[] = [];
  for (const [path, { before, after }] of plan.texts)
    for (const line of await inSlices(findingChangedLines(path, before, after))) lines.push(line);
  const { uncertain } = plan;
  // One page of both: first the uses that need review.
  const { items, ...more } = pageOf<ChangedLine | UncertainUse>([...uncertain, ...lines], page);
  return ok(
    {
      from,
      to,
      files: touched.slice(0, MAX_FILES).map(({ path }) => path.res),
      fileCount: touched.length,
      changes: items.filter((item) => "after" in item),
      uncertain: items.filter((item) => "why" in item),
      uncertainTotal: uncertain.length,
      dryRun,
      ...more,
    },
    {
      summary: `${dryRun ? "Would rename" : "Renamed"} ${from} to ${to}: ${count(lines.length, "line")} in ${count(touched.length, "file")}; ${count(uncertain.length, "uncertain place")} left as ${uncertain.length === 1 ? "it is" : "they are"}.`,
      execution: { mode: "files" },
      ...(!dryRun && {
        files: touched.map(({ path }) => ({ kind: "file", pathAbs: path.absolute, resPath: path.res })),
      }),
      ...(uncertain.length > 0 && {
        warnings: ["Look at what is uncertain; name the lines that are right in also, as path:line."],
      }),
    },
  );
}

const KEYWORDS = new Set(
  "if elif else for while match when break continue pass return class class_name extends is in as self super signal func static const enum var await preload and or not true false null void PI TAU INF NAN breakpoint assert yield namespace trait".split(
    " ",
  ),
);

function checkName(name: string) {
  if (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && !KEYWORDS.has(name)) return undefined;
  return errors.fail("E_SCHEMA_VALIDATION", `"${name.slice(0, 80)}" is not a name in GDScript.`, {
    suggestedFix: "Use letters, digits and _, and no word of the language.",
  });
}

async function classRename({ workspace }: RenameWork, { name, to, also = [] }: RenameInput): Working {
  if (name === undefined) return errors.fail("E_SCHEMA_VALIDATION", "Give the class in name.");
  const refused = checkName(to);
  if (refused !== undefined) return refused;
  const engine = await loadClassTable();
  return workspace.index.use(function* (graph): Generator<void, Awaited<Working>> {
    if (!graph.classes.has(name))
      return unknownName(
        "E_NOT_FOUND",
        `There is no class_name ${name.slice(0, 80)} in this project.`,
        name,
        [...graph.classes.keys()],
      );
    if (graph.classes.has(to) || graph.autoloads.has(to) || engine.has(to))
      return errors.fail("E_SCHEMA_VALIDATION", `There is a ${to} already.`, {
        suggestedFix: "Choose another name.",
      });
    const plan = yield* renamingClass(graph, name, to, also);
    return ok({ from: name, to, label: `rename class ${name} to ${to}`, plan });
  });
}

async function memberRename(
  { project, workspace }: RenameWork,
  kind: "method" | "signal",
  { path, name, to, also = [] }: RenameInput,
): Working {
  if (name === undefined) return errors.fail("E_SCHEMA_VALIDATION", `Give the ${kind} in name.`);
  const refused = checkName(to);
  if (refused !== undefined) return refused;
  const place = path === undefined ? undefined : await project.resolve(path);
  if (place?.ok === false) return place;
  return workspace.index.use(function* (graph): Generator<void, Awaited<Working>> {
    const script = declaringScript(graph, kind, name, place?.value.res);
    if (!script.ok) return script;
    if (kind === "method" && CALLED_BY_GODOT.test(name))
      return errors.fail("E_SCHEMA_VALIDATION", `Godot calls ${name} by its name, so it must keep it.`);
    const facts = graph.files.get(script.value);
    if (facts?.symbols.some((each) => each.name === to && each.of === undefined))
      return errors.fail("E_SCHEMA_VALIDATION", `${script.value} declares ${to} already.`, {
        suggestedFix: "Choose another name.",
      });
    const plan = yield* renamingMember(graph, script.value, kind, name, to, also);
    return ok({ from: name, to, label: `rename ${kind} ${name} to ${to}`, plan });
  });
}

/** Virtual methods of the engine that scripts override. */
const CALLED_BY_GODOT =
  /^_(?:init|ready|enter_tree|exit_tree|process|physics_process|input|unhandled_input|unhandled_key_input|shortcut_input|gui_input|draw|notification|get|set|get_property_list|property_can_revert|property_get_revert|validate_property|to_string|static_init|get_configuration_warnings|integrate_forces|run|iter_init|iter_next|iter_get)$/;

function declaringScript(
  graph: ProjectGraph,
  kind: "method" | "signal",
  name: string,
  path: string | undefined,
): Result<string, "E_NOT_FOUND" | "E_SCHEMA_VALIDATION"> {
  const scripts = Array.from(graph.files.values()).flatMap(({ path: script, symbols }) =>
    script.endsWith(".gd") &&
    symbols.some((each) => each.kind === kind && each.name === name && each.of === undefined)
      ? [script]
      : [],
  );
  const [only] = scripts;
  if (path !== undefined ? !scripts.includes(path) : only === undefined)
    return errors.fail(
      "E_NOT_FOUND",
      `${path ?? "No script of this project"} does not declare a ${kind} ${name.slice(0, 80)}.`.replace(
        "No script of this project does not declare",
        "No script of this project declares",
      ),
      { details: { declaredIn: scripts.slice(0, 20) } },
    );
  if (path === undefined && scripts.length > 1)
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `${scripts.length} scripts declare ${name}: say which one in path.`,
      {
        details: { declaredIn: scripts.slice(0, 20) },
      },
    );
  return ok(path ?? only ?? "");
}
