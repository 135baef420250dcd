import { statSync, utimesSync } from "node:fs";
import type { Failure, JsonObject, Outcome } from "@toolpact/contract";
import { type Failed, ok } from "@toolpact/outcome";
import { errors, type GodotCode, type Result } from "../../errors.ts";
import type { Driver, Edit, FileContent, RequestedEdit, WrittenEdit } from "../../operations/driver.ts";
import type { EditOperation, ParamsOf, ResultOf } from "../../operations/operations.ts";
import type { OpenEntry } from "../../project/journal.ts";
import { diskFailure, type Project } from "../../project/project.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import { type ReadBack, readBack } from "../read-back/read-back.ts";
import {
  type FileState,
  fileState,
  isSame,
  type SceneDifference,
  stateNow,
} from "../read-back/scene-difference.ts";
import { codeOf, commitFiles, surpriseFailure } from "./commit-files.ts";
import { withSpriteFrames } from "./sprite-frames.ts";

export interface CommitContext {
  readonly project: Project;
  readonly signal: AbortSignal;
}

/** An edit that reached the disk and was read back. */
export interface CommittedEdit<O extends EditOperation> {
  readonly driver: Driver;
  readonly result: ResultOf<O>;
  /** The change that the edit made to a scene in text form. */
  readonly difference: SceneDifference | undefined;
  readonly bytes: number;
  readonly warnings: readonly string[];
}

type Committed<O extends EditOperation> = Promise<Result<CommittedEdit<O>>>;

/**
 * Carries out an edit: records the file in the journal, lets the driver act, reads the file back and compares
 * it with the request. Unrequested changes are reverted. Only this and `commitFiles` change files of a project; undo
 * and redo go through the journal.
 */
export function commitEdit<O extends EditOperation>(
  context: CommitContext,
  driver: Driver,
  edit: Edit<O>,
  warnings: readonly string[] = [],
): Committed<O> {
  return context.project.inTurn(edit.path.res, async () => {
    if (context.signal.aborted)
      return errors.fail("E_TIMEOUT", "The edit was cancelled by the caller before its turn came.", {
        details: { path: edit.path.res, aborted: true },
      });
    if (statSync(edit.path.absolute, { throwIfNoEntry: false })?.isDirectory())
      return errors.fail("E_SCHEMA_VALIDATION", `${edit.path.res} is a folder, not a file.`);
    const first = withWarnings(await attempt(context, driver, edit), warnings);
    const isStale =
      !first.ok &&
      first.failure.details?.surprises !== undefined &&
      first.failure.details.restored &&
      first.failure.details.unknownToGodot !== true;
    // The old content is restored, so the edit can be retried.
    const hasDied = !first.ok && first.failure.details?.died === true;
    if (!(isStale || hasDied) || driver.forget === undefined || context.signal.aborted) return first;
    await driver.forget();
    const anew = hasDied
      ? "Godot crashed during the edit and was started again."
      : "The engine held an older state, so it was started anew.";
    return withWarnings(await attempt(context, driver, edit), [...warnings, anew]);
  });
}

function withWarnings<O extends EditOperation>(
  done: Awaited<Committed<O>>,
  warnings: readonly string[],
): Awaited<Committed<O>> {
  if (!done.ok || warnings.length === 0) return done;
  return ok({ ...done.value, warnings: [...warnings, ...done.value.warnings] });
}

async function attempt<O extends EditOperation>(
  context: CommitContext,
  driver: Driver,
  asked: Edit<O>,
): Committed<O> {
  const typed = await typedSpriteFrames(context.project, asked);
  if (!typed.ok) return typed;
  const edit = typed.value;
  const prepared = await driver.prepare(edit.operation, edit.params);
  if (!prepared.ok) return prepared;
  const progress = { isSent: false };
  try {
    return prepared.value.kind === "written"
      ? await writeFile(context.project, driver, edit, prepared.value)
      : await letGodotWrite(context, driver, edit, prepared.value, progress);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    const state = progress.isSent ? "Godot may have changed it" : "nothing was changed";
    return diskFailure(error as NodeJS.ErrnoException, edit.path.res, state);
  }
}

/** The edit with the types that the animations of a SpriteFrames need. */
async function typedSpriteFrames<O extends EditOperation>(
  project: Project,
  edit: Edit<O>,
): Promise<Result<Edit<O>>> {
  if (!/^(?:scene|resource)\./.test(edit.operation)) return ok(edit);
  // Parameters are JSON; only the types of their values change.
  const params = edit.params as JsonObject;
  const properties = params.properties as JsonObject | undefined;
  const type = edit.operation === "resource.edit" ? await resourceType(project, edit.path) : params.type;
  const typed =
    properties === undefined
      ? withSpriteFrames(params)
      : withSpriteFrames(properties, type === "SpriteFrames");
  if (!typed.ok) return typed;
  const changed = properties === undefined ? typed.value : { ...params, properties: typed.value };
  return ok({ ...edit, params: changed as unknown as ParamsOf<O> });
}

async function resourceType(project: Project, { res }: ProjectPath): Promise<string | undefined> {
  const text = res.endsWith(".tres") ? await project.textOf(res) : undefined;
  return /^\[gd_resource type="(\w+)"/.exec(text ?? "")?.[1];
}

async function writeFile<O extends EditOperation>(
  project: Project,
  driver: Driver,
  edit: Edit<O>,
  { change, scene, result, warnings }: WrittenEdit<ResultOf<O>>,
): Committed<O> {
  const before = fileState(edit.path, change.was ?? null, { parsed: scene });
  const after = fileState(edit.path, change.content, { before });
  let found: ReadBack | undefined;
  // While the disk writes the new text, parse it like any reader and compare it with the request.
  const written = await commitFiles(project, edit.label, [change], async () => {
    found = await readBack(project, edit, before, after, result, driver.mode);
    return found.surprises;
  });
  if (!written.ok) return written;
  return committed(driver, result, after, found, warnings);
}

async function letGodotWrite<O extends EditOperation>(
  { project, signal }: CommitContext,
  driver: Driver,
  edit: Edit<O>,
  { send, takeBack, reload, accept, expected, onCommitted }: RequestedEdit<ResultOf<O>>,
  progress: { isSent: boolean },
): Committed<O> {
  const { path, label } = edit;
  const refused = project.refusedWrite(path);
  if (refused !== undefined) return refused;
  let before = stateNow(path);
  const journal: { entry?: OpenEntry } = {};
  // Godot may have to start first. Anything the user saves until the request is sent is part of the old content.
  const answer = await send(signal, async () => {
    before = stateNow(path);
    // The editor's history is lost when it closes, so its edits are in the journal too.
    if (takeBack === undefined || edit.operation === "scene.edit")
      journal.entry = await project.journal.begin(label, [path.res]);
    progress.isSent = true;
  });
  const { entry } = journal;
  if (!answer.ok)
    return entry === undefined ? answer : afterFailure(answer, entry, path, takeBack !== undefined);
  const after = stateNow(path, before);
  const wanted = expected?.(before.content, answer.value);
  const target = wanted === undefined ? undefined : fileState(path, wanted);
  const found = await readBack(project, edit, before, after, answer.value, driver.mode, target);
  if (found.surprises.length === 0) {
    // If the user's unsaved changes were saved along, the old content is not the file without this edit.
    const isAlone = (answer.value as { readonly hadUnsaved?: boolean }).hadUnsaved !== true;
    await (isAlone ? entry?.close() : entry?.drop());
    const step = onCommitted?.({
      before: before.content,
      after: after.content,
      result: answer.value,
      label,
      entry: isAlone && !isSame(before, after) ? entry?.id : undefined,
    });
    if (step?.entry !== undefined) await project.journal.mark(step.entry, step.undone, before.content);
    if (target?.content == null || isSame(target, after))
      return committed(driver, answer.value, after, found, []);
    return putExact(project, path, target.content, after.content, accept).then(
      () => committed(driver, answer.value, target, found, []),
      (error) => committed(driver, answer.value, after, found, [notExact(path, error)]),
    );
  }
  const surprised = (ending: string, details = {}) =>
    surpriseFailure(path, found.surprises, ending, {
      restored: false,
      ...(found.isCertain && { unknownToGodot: true }),
      ...details,
    });
  // Godot drops what it does not recognize, so only the file has it.
  if (takeBack === undefined && driver.mode === "editor" && !found.isCertain) {
    await entry?.close();
    return surprised(
      "The open editor has them in memory; godot_scene undo with mode files restores the file.",
    );
  }
  try {
    if (target?.content != null) {
      await (await project.draft(path, target.content)).put(after.content);
      await reload?.();
      const lost = `The editor's own step would have changed more: ${found.surprises.slice(0, 3).join("; ")}. The file has its exact content of then, and the editor read it again.`;
      return committed(driver, answer.value, target, { surprises: [], warnings: [lost] }, []);
    }
    if (takeBack === undefined) return surprised(RESTORED, { restored: true, ...(await entry?.rollBack()) });
    const undone = await takeBack();
    await (undone.ok ? entry?.drop() : entry?.close());
    if (!undone.ok) return surprised(`The editor could not undo them: ${undone.failure.message}`);
    const now = stateNow(path);
    if (before.content === null || isSame(before, now)) return surprised(RESTORED, { restored: true });
    // The editor's history keeps the scene, not the text it was read from.
    await (await project.draft(path, before.content)).put(now.content);
    const reloaded = await reload?.();
    return reloaded?.ok === false
      ? surprised(`${RESTORED} The editor did not reload it: ${reloaded.failure.message}`, { restored: true })
      : surprised(RESTORED, { restored: true });
  } catch (error) {
    return surprised(`Its old content could not be restored (${codeOf(error)}).`);
  }
}

/**
 * Replaces Godot's output by the bytes that mean the same. The file keeps its time, by which an open editor detects
 * that another program wrote it.
 */
async function putExact(
  project: Project,
  path: ProjectPath,
  content: string | Uint8Array,
  was: FileContent,
  accept: RequestedEdit<unknown>["accept"],
): Promise<void> {
  const { atime, mtime } = statSync(path.absolute);
  await (await project.draft(path, content)).put(was);
  utimesSync(path.absolute, atime, mtime);
  await accept?.();
}

function notExact(path: ProjectPath, error: unknown): string {
  return `${path.res} means what it meant before, in other bytes: it could not be written (${codeOf(error)}).`;
}

/** Failures after which Godot may have written all or part of the file, as after disk errors. */
const MAY_HAVE_WRITTEN: readonly GodotCode[] = ["E_TIMEOUT", "E_NOT_CONNECTED", "E_INTERNAL"];

async function afterFailure(
  answer: Failed<Failure<GodotCode>>,
  entry: OpenEntry,
  path: ProjectPath,
  isInHistory: boolean,
) {
  const { failure } = answer;
  if (failure.details?.outcome === "unknown") await entry.close();
  // An editor that keeps a history reverts what it could not save by itself.
  else if (isInHistory) await entry.drop();
  else if (!MAY_HAVE_WRITTEN.includes(failure.code) && failure.details?.gate !== "disk") await entry.drop();
  else {
    try {
      const details = { ...failure.details, ...(await entry.rollBack()) };
      const losses = lossesIn(details);
      // Godot rewrites this scene the same way every time, so only its text can be edited.
      if (losses.length > 0)
        return surpriseFailure(path, losses, RESTORED, { restored: true, unknownToGodot: true });
      return { ...answer, failure: { ...failure, details } };
    } catch (error) {
      const message = `${failure.message} ${path.res} could not be restored (${codeOf(error)}).`;
      return { ...answer, failure: { ...failure, message } };
    }
  }
  return answer;
}

/** Nodes that Godot lost or added when it saved a scene: see `scene_check.gd`. */
function lossesIn({ missing, unexpected }: JsonObject): string[] {
  const names = (list: JsonObject[string]) => (Array.isArray(list) ? list.map(String) : []);
  return [
    ...names(missing).map((node) => `${node} is gone`),
    ...names(unexpected).map((node) => `${node} is new`),
  ];
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

const RESTORED = "Its old content was restored.";
