import type { Failure, JsonObject, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import { errors, type GodotCode } from "../errors.ts";
import { SceneText } from "../formats/scene-text.ts";
import type { Draft } from "../project/atomic-write.ts";
import type { OpenEntry } from "../project/journal.ts";
import { conflict, diskFailure, type Project } from "../project/project.ts";
import type { ProjectPath } from "../project/project-path.ts";
import type { Answer } from "../tools/answer.ts";
import type { Way } from "../workspace/godots.ts";
import type { GodotDriver } from "./driver.ts";
import { alsoWritten, doneEdits, surprised } from "./edit-answer.ts";
import { scopeOf } from "./edit-scope.ts";
import { editScene } from "./files/edit-scene.ts";
import { loadScene } from "./files/load-scene.ts";
import { differenceOf, type SceneDifference, surprises } from "./files/scene-difference.ts";
import { modelOf } from "./files/scene-model.ts";
import { mentionedPaths } from "./files/scene-world.ts";
import type { SceneEdit, SceneEdited } from "./scene-edit.ts";
import { type SceneRequest, type SceneWork, sceneTarget } from "./scene-target.ts";

/**
 * Carries edits out in the best way there is, reads the file back, and takes back what nobody asked for. Answers with
 * `scene`, `changes`, `saved`, and `difference`: what the file on the disk says now that it did not say before.
 */
export async function editSceneFile(
  work: SceneWork,
  request: SceneRequest,
  label: string,
  edits: readonly SceneEdit[],
): Promise<Answer<SceneEdited>> {
  const safe = await safeEdits(work.project, edits);
  if (!safe.ok) return safe;
  const target = await sceneTarget(work, request);
  if (!target.ok) return target;
  const { way, path } = target.value;
  return work.project.inTurn(path.res, async () => {
    if (work.signal.aborted)
      return errors.fail("E_TIMEOUT", "The edit was given up by the caller before its turn came.", {
        details: { path: path.res, aborted: true },
      });
    const { driver } = way;
    if (driver === undefined) return byFiles(work, path, safe.value, label, way);
    const refused = work.project.refusedWrite(path);
    if (refused !== undefined) return refused;
    const before = await fileState(work.project, path);
    if (!before.ok) return before;
    return driver.mode === "editor"
      ? byEditor(work, driver, path, safe.value, label, before.value)
      : byEngineOrFresh(work, driver, path, safe.value, label, before.value);
  });
}

/** The edits with every file they name as its `res://` path, if all of them lie where tools may go. */
async function safeEdits(
  project: Project,
  edits: readonly SceneEdit[],
): Promise<Outcome<readonly SceneEdit[], Failure<GodotCode>>> {
  // Edits are JSON that came through a schema.
  for (const mentioned of mentionedPaths(edits as unknown as JsonObject)) {
    const place = await project.resolve(mentioned);
    if (!place.ok) return place;
  }
  const safe: SceneEdit[] = [];
  for (const edit of edits) {
    const member = edit.kind === "instance" ? "source" : "script";
    const file = edit.kind === "instance" ? edit.source : "script" in edit ? edit.script : undefined;
    const place = typeof file === "string" ? await project.resolve(file) : undefined;
    if (place !== undefined && !place.ok) return place;
    safe.push(place === undefined ? edit : { ...edit, [member]: place.value.res });
  }
  return ok(safe);
}

async function byFiles(
  { project }: SceneWork,
  path: ProjectPath,
  edits: readonly SceneEdit[],
  label: string,
  way: Way,
): Promise<Answer<SceneEdited>> {
  const loaded = await loadScene(project, path, edits as unknown as JsonObject);
  if (!loaded.ok) return loaded;
  const { scene, world } = loaded.value;
  const edited = editScene(path.res, scene, edits, world, Math.random);
  if (!edited.ok) return edited;
  const text = edited.value.scene.write();
  let draft: Draft;
  try {
    draft = await project.draft(path, text);
  } catch (error) {
    return diskFailure(error as NodeJS.ErrnoException, path.res);
  }
  // While the disk takes the draft, it is read as any reader would, and compared with what was asked for.
  const read = SceneText.parse(text);
  const difference = read.ok ? differenceOf(modelOf(scene), modelOf(read.value)) : undefined;
  const strange =
    difference === undefined
      ? ["the file could not be read again"]
      : surprises(difference, scopeOf(edits, edited.value.changes));
  if (difference === undefined || strange.length > 0) {
    await draft.discard();
    return surprised(path, strange);
  }
  let entry: OpenEntry | undefined;
  try {
    entry = await project.journal.begin(label, [{ path: path.res, content: text }]);
    await draft.put(loaded.value.text);
  } catch (error) {
    await (entry === undefined ? draft.discard() : entry.rollBack());
    return diskFailure(error as NodeJS.ErrnoException, path.res);
  }
  const saved = await project.bytesAt(path);
  if (!saved.ok || !saved.value.bytes.equals(Buffer.from(text))) {
    await entry.rollBack();
    return conflict(path.res);
  }
  await entry.close();
  return doneEdits({
    path,
    changes: edited.value.changes,
    difference,
    bytes: Buffer.byteLength(text),
    warnings: [...way.warnings, ...edited.value.warnings],
  });
}

/** What a warm engine got wrong is put back; one without a past tries once more. */
async function byEngineOrFresh(
  work: SceneWork,
  driver: GodotDriver,
  path: ProjectPath,
  edits: readonly SceneEdit[],
  label: string,
  before: FileState,
): Promise<Answer<SceneEdited>> {
  const first = await byEngine(work, driver, path, edits, label, before);
  if (first.ok || first.failure.details?.surprises === undefined || work.signal.aborted) return first;
  const fresh = await work.godots.freshEngine();
  if (!fresh.ok) return first;
  const second = await byEngine(work, fresh.value, path, edits, label, before);
  if (!second.ok || second.notes === undefined) return second;
  const warnings = [
    "The engine held an older state, so it was started anew.",
    ...(second.notes.warnings ?? []),
  ];
  return { ...second, notes: { ...second.notes, warnings } };
}

async function byEngine(
  { project, signal }: SceneWork,
  driver: GodotDriver,
  path: ProjectPath,
  edits: readonly SceneEdit[],
  label: string,
  before: FileState,
): Promise<Answer<SceneEdited>> {
  const entry = await project.journal.begin(label, [path.res]);
  const answer = await driver.request("scene.edit", { scene: path.res, edits, label }, { signal });
  const after = await fileState(project, path);
  if (!answer.ok) {
    // A worker that was killed while it saved may have left its work; the answer says that nothing was done.
    if (after.ok && after.value.bytes.equals(before.bytes)) await entry.close();
    else await entry.rollBack();
    return answer;
  }
  if (!after.ok) {
    await entry.rollBack();
    return surprised(path, ["the file is gone"]);
  }
  const difference = compare(before, after.value);
  const scope = scopeOf(edits, answer.value.changes);
  const strange = surprises(difference, scope);
  if (strange.length > 0) {
    await entry.rollBack();
    return surprised(path, strange);
  }
  await entry.close();
  const warnings = alsoWritten(difference, scope);
  const { length: bytes } = after.value.bytes;
  return doneEdits({ path, changes: answer.value.changes, difference, bytes, driver, warnings });
}

async function byEditor(
  { project, signal }: SceneWork,
  driver: GodotDriver,
  path: ProjectPath,
  edits: readonly SceneEdit[],
  label: string,
  before: FileState,
): Promise<Answer<SceneEdited>> {
  const answer = await driver.request("scene.edit", { scene: path.res, edits, label }, { signal });
  if (!answer.ok) return answer;
  const after = await fileState(project, path);
  if (!after.ok) return after;
  const difference = compare(before, after.value);
  const scope = scopeOf(edits, answer.value.changes);
  // What a person had not saved yet is saved along with the edit, so the file may well show more than was asked.
  const unsaved = answer.value.hadUnsaved === true;
  const strange = unsaved ? [] : surprises(difference, scope);
  if (strange.length > 0) {
    const undone = await driver.request("scene.undo", { scene: path.res });
    return undone.ok ? surprised(path, strange) : surprised(path, [...strange, undone.failure.message]);
  }
  const warnings = unsaved
    ? ["The scene had unsaved changes in the editor; they were saved too."]
    : alsoWritten(difference, scope);
  const { length: bytes } = after.value.bytes;
  return doneEdits({ path, changes: answer.value.changes, difference, bytes, driver, warnings });
}

interface FileState {
  readonly bytes: Buffer;
  /** Undefined for one that is not text. */
  readonly scene: SceneText | undefined;
}

async function fileState(
  project: Project,
  path: ProjectPath,
): Promise<Outcome<FileState, Failure<GodotCode>>> {
  const read = await project.bytesAt(path);
  if (!read.ok) return read;
  const { bytes } = read.value;
  const parsed = path.res.endsWith(".tscn") ? SceneText.parse(bytes.toString("utf8")) : undefined;
  return ok({ bytes, scene: parsed?.ok ? parsed.value : undefined });
}

function compare(before: FileState, after: FileState): SceneDifference {
  if (before.scene === undefined || after.scene === undefined)
    return { added: [], removed: [], reset: [], changed: [], connected: [], disconnected: [] };
  return differenceOf(modelOf(before.scene), modelOf(after.scene));
}
