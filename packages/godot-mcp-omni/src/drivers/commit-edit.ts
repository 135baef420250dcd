import { existsSync, readFileSync, rmSync } from "node:fs";
import type { Failure, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import { errors, type GodotCode } from "../errors.ts";
import { checkHolds, type Draft } from "../project/atomic-write.ts";
import type { OpenEntry } from "../project/journal.ts";
import { conflict, diskFailure, type FileChange, type Project } from "../project/project.ts";
import type { ProjectPath } from "../project/project-path.ts";
import type { DriverContext } from "./ask.ts";
import type { Driver, RequestedEdit, WrittenEdit } from "./driver.ts";
import type { SceneDifference } from "./files/scene-difference.ts";
import type { EditOperation, ParamsOf, ResultOf } from "./operations.ts";
import { type FileState, fileState, type ReadBack, readBack } from "./read-back.ts";

/** One edit of one file. */
export interface Edit<O extends EditOperation = EditOperation> {
  readonly operation: O;
  readonly params: ParamsOf<O>;
  readonly path: ProjectPath;
  /** What is done, in one line; the journal shows it. */
  readonly label: string;
}

/** An edit that reached the disk and was read back. */
export interface CommittedEdit<O extends EditOperation> {
  /** The driver that did it. */
  readonly driver: Driver;
  readonly result: ResultOf<O>;
  /** Of a scene in text form: what its file says now that it did not say before. */
  readonly difference: SceneDifference | undefined;
  /** Length of the file. */
  readonly bytes: number;
  readonly warnings: readonly string[];
}

type Committed<O extends EditOperation> = Promise<Outcome<CommittedEdit<O>, Failure<GodotCode>>>;

/**
 * Carries out an edit: keeps what the file holds in the journal, lets the driver act, reads the file back and compares
 * it with what was asked for. What nobody asked for is put back. This and `commitFiles` are the only ways in which this
 * server changes files of a project; undo and redo go through the journal.
 */
export function commitEdit<O extends EditOperation>(
  context: DriverContext,
  driver: Driver,
  edit: Edit<O>,
): Committed<O> {
  return context.project.inTurn(edit.path.res, async () => {
    if (context.signal.aborted)
      return errors.fail("E_TIMEOUT", "The edit was cancelled by the caller before its turn came.", {
        details: { path: edit.path.res, aborted: true },
      });
    const first = await attempt(context, driver, edit);
    const isStale = !first.ok && first.failure.details?.surprises !== undefined;
    if (!isStale || driver.forget === undefined || context.signal.aborted) return first;
    await driver.forget();
    const second = await attempt(context, driver, edit);
    if (!second.ok) return second;
    const warnings = ["The engine held an older state, so it was started anew.", ...second.value.warnings];
    return ok({ ...second.value, warnings });
  });
}

async function attempt<O extends EditOperation>(
  context: DriverContext,
  driver: Driver,
  edit: Edit<O>,
): Committed<O> {
  const prepared = await driver.prepare(edit.operation, edit.params);
  if (!prepared.ok) return prepared;
  try {
    return prepared.value.kind === "written"
      ? await writeFile(context.project, driver, edit, prepared.value)
      : await letGodotWrite(context, driver, edit, prepared.value);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return diskFailure(error as NodeJS.ErrnoException, edit.path.res);
  }
}

async function writeFile<O extends EditOperation>(
  project: Project,
  driver: Driver,
  edit: Edit<O>,
  { change, scene, result, warnings }: WrittenEdit<ResultOf<O>>,
): Committed<O> {
  const before = fileState(edit.path, change.was ?? null, scene);
  const after = fileState(edit.path, change.content);
  let found: ReadBack | undefined;
  // While the disk takes the new text, it is read as any reader would, and compared with what was asked for.
  const written = await commitFiles(project, edit.label, [change], async () => {
    found = await readBack(edit, before, after, result, driver.mode);
    return found.surprises;
  });
  if (!written.ok) return written;
  return committed(driver, result, after, found, warnings);
}

async function letGodotWrite<O extends EditOperation>(
  { project, signal }: DriverContext,
  driver: Driver,
  edit: Edit<O>,
  { send, takeBack, reload }: RequestedEdit<ResultOf<O>>,
): Committed<O> {
  const { path, label } = edit;
  const refused = project.refusedWrite(path);
  if (refused !== undefined) return refused;
  const before = stateNow(path);
  const entry = takeBack === undefined ? await project.journal.begin(label, [path.res]) : undefined;
  const answer = await send(signal);
  const after = stateNow(path);
  if (!answer.ok) {
    // A Godot that was killed while it saved may have left its work, although the answer says that nothing was done.
    const isOurs = answer.failure.details?.outcome !== "unknown" && !isSame(before, after);
    await (isOurs ? entry?.rollBack() : entry?.close());
    return answer;
  }
  const found = await readBack(edit, before, after, answer.value, driver.mode);
  if (found.surprises.length === 0) {
    await entry?.close();
    return committed(driver, answer.value, after, found, []);
  }
  await takeBack?.();
  await entry?.rollBack();
  if (before.content !== null && !isSame(before, stateNow(path))) {
    // The history of a Godot keeps the scene, not the text that it was read from.
    await (await project.draft(path, before.content)).put();
    await reload?.();
  }
  return surpriseFailure(path, found.surprises);
}

function committed<O extends EditOperation>(
  driver: Driver,
  result: ResultOf<O>,
  after: FileState,
  found: ReadBack | undefined,
  warnings: readonly string[],
): Outcome<CommittedEdit<O>, never> {
  return ok({
    driver,
    result,
    difference: found?.difference,
    bytes: after.content === null ? 0 : Buffer.byteLength(after.content),
    warnings: [...warnings, ...(found?.warnings ?? [])],
  });
}

/**
 * Writes and removes files, all of them or none: kept in the journal first, and read back. `check` looks at what is
 * about to be written and says what is wrong with it.
 */
export async function commitFiles(
  project: Project,
  label: string,
  changes: readonly FileChange[],
  check: () => Promise<readonly string[]> = async () => [],
): Promise<Outcome<void, Failure<"E_INTERNAL" | "E_PERMISSION_DENIED">>> {
  const drafts: (Draft | undefined)[] = [];
  let entry: OpenEntry | undefined;
  let at = changes[0]?.path;
  try {
    for (const { path, content } of changes) {
      at = path;
      drafts.push(content === null ? undefined : await project.draft(path, content));
    }
    const surprises = await check();
    if (surprises.length > 0 && at !== undefined) {
      await discard(drafts);
      return surpriseFailure(at, surprises);
    }
    entry = await project.journal.begin(
      label,
      changes.map(({ path, content }) => ({ path: path.res, content })),
    );
    for (const [index, change] of changes.entries()) {
      at = change.path;
      await put(change, drafts[index]);
    }
  } catch (error) {
    await discard(drafts);
    await entry?.rollBack();
    return diskFailure(error as NodeJS.ErrnoException, at?.res ?? "");
  }
  const changed = changes.find(({ path, content }) => !isSame({ content }, stateNow(path)));
  if (changed !== undefined) {
    await entry.rollBack();
    return conflict(changed.path.res);
  }
  await entry.close();
  return ok(undefined);
}

async function put({ path, was }: FileChange, draft: Draft | undefined): Promise<void> {
  if (draft !== undefined) return draft.put(was);
  checkHolds(path.absolute, was);
  rmSync(path.absolute, { force: true });
}

async function discard(drafts: readonly (Draft | undefined)[]): Promise<void> {
  for (const draft of drafts) await draft?.discard();
}

function stateNow(path: ProjectPath): FileState {
  return fileState(path, existsSync(path.absolute) ? readFileSync(path.absolute) : null);
}

function isSame(one: Pick<FileState, "content">, other: Pick<FileState, "content">): boolean {
  if (one.content === null || other.content === null) return one.content === other.content;
  return Buffer.from(one.content).equals(Buffer.from(other.content));
}

function surpriseFailure(path: ProjectPath, surprises: readonly string[]) {
  return errors.fail(
    "E_INTERNAL",
    `${path.res} was saved with changes that nobody asked for, so its old content was restored.`,
    {
      details: { path: path.res, surprises: surprises.slice(0, 20) },
      suggestedFix: "Report this with the file; try another mode until then.",
      fixBy: "operator",
    },
  );
}
