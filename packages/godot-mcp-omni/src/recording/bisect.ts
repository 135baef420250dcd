import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Json, RunTools } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import type { Result } from "../errors.ts";
import { hasDisplay } from "../game/display.ts";
import type { GodotBinary } from "../godot/binary.ts";
import { type Environment, headlessEnvironment } from "../godot/environment.ts";
import { runProcess } from "../godot/process.ts";
import { digestOf } from "../project/journal.ts";
import type { JournalEntry } from "../project/journal-entry.ts";
import { Project } from "../project/project.ts";
import type { ProjectPath } from "../project/project-path.ts";
import { count, json, list, maybe, text } from "../shapes.ts";
import { isImported } from "../testing/import-first.ts";
import { callOf, changeOf, type EditStates, editStates } from "./edit-states.ts";
import { type Look, play } from "./play.ts";
import type { GameState, Played } from "./played.ts";
import { copyProject, type ProjectCopy } from "./project-copy.ts";
import { pictureOf, type Recording } from "./recording.ts";
import { isSameValue, TOLERANCE, type Verdict, verdictOf, whatDiffers } from "./verdict.ts";

export interface BisectOptions {
  readonly project: Project;
  readonly place: ProjectPath;
  readonly binary: GodotBinary;
  readonly env: Environment;
  /** Time limit of one play. */
  readonly timeoutMs: number;
  /** Folder for the screenshots before and after. */
  readonly folder: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly progress: RunTools["progress"];
}

const changedFile = z.strictObject({ path: text, change: text });
const run = z.strictObject({
  /** The last edit that was in place; 0 for none. */
  edit: count,
  isSame: z.boolean(),
  difference: maybe,
});

/** The edit that changed how a recording plays. */
export const bisected = z.strictObject({
  isSame: z.boolean(),
  edit: z
    .strictObject({
      id: count,
      at: text,
      label: text,
      /** The tool and action that made it, according to the audit log. */
      call: maybe,
      files: list(changedFile),
      /** Files changed by others between it and the next edit; they may be the cause too. */
      alsoChanged: list(text).exactOptional(),
    })
    .exactOptional(),
  /** The first frame that looks different from before the edit. */
  frame: count.exactOptional(),
  /** The differences after it. */
  differs: list(z.strictObject({ node: text, property: text, before: json, after: json })).exactOptional(),
  /** Problems that the recording found after the edit. */
  difference: maybe,
  pictures: z.strictObject({ frame: count, before: text, after: text, difference: maybe }).exactOptional(),
  runs: list(run),
});

export type Bisected = z.infer<typeof bisected>;

/** One playback of one state. */
interface Tried {
  readonly count: number;
  readonly isSame: boolean;
  readonly difference: string;
  readonly played?: Played;
  readonly verdict?: Verdict;
}

const MAX_DIFFERENCES = 20;
const IMPORT_MS = 120_000;

/**
 * Plays a recording on copies of the project as it was between the edits of its journal, and finds the first edit after
 * which it plays differently. The project itself is only read.
 */
export async function bisect(recording: Recording, options: BisectOptions): Promise<Result<Bisected>> {
  const { project, place } = options;
  const ownFiles = new Set([
    place.res,
    ...recording.pictures.map((picture) => pictureOf(place.res, picture)),
  ]);
  const states = await editStates(project, (res) => ownFiles.has(res));
  const copied = copyProject(project.root);
  if (!copied.ok) return copied;
  try {
    return await search(recording, states, copied.value, options);
  } finally {
    copied.value.remove();
  }
}

async function search(
  recording: Recording,
  states: EditStates,
  copy: ProjectCopy,
  options: BisectOptions,
): Promise<Result<Bisected>> {
  const { edits } = states;
  const tried: Tried[] = [];
  const most = Math.ceil(Math.log2(Math.max(2, edits.length))) + 4;
  const attempt = async (count: number): Promise<Result<Tried>> => {
    const known = tried.find((each) => each.count === count);
    if (known !== undefined) return ok(known);
    const after = count === 0 ? "before the first edit" : `after edit ${edits[count - 1]?.id}`;
    options.progress({ done: tried.length, total: most, message: `Playing ${after}` });
    const done = await tryState(count, recording, states, copy, options, { trace: true });
    if (done.ok) tried.push(done.value);
    return done;
  };
  const runs = () =>
    tried.map(({ count, isSame, difference }) => ({
      edit: edits[count - 1]?.id ?? 0,
      isSame,
      ...(!isSame && { difference }),
    }));

  const now = await attempt(edits.length);
  if (!now.ok) return now;
  if (now.value.isSame) return ok({ isSame: true, runs: runs() });
  // The recording shows the state after the edits of that time; if that does not hold, the oldest state is tried.
  const start = await recordedAfter(options, edits);
  let good: Tried | undefined;
  for (const count of new Set([start, 0])) {
    const first = await attempt(count);
    if (!first.ok) return first;
    if (first.value.isSame) {
      good = first.value;
      break;
    }
  }
  if (good === undefined) return ok({ isSame: false, difference: now.value.difference, runs: runs() });
  let bad = now.value;
  while (bad.count - good.count > 1) {
    const middle = await attempt(Math.floor((good.count + bad.count) / 2));
    if (!middle.ok) return middle;
    if (middle.value.isSame) good = middle.value;
    else bad = middle.value;
  }
  const edit = edits[bad.count - 1];
  if (edit === undefined) throw new Error("A state that differs from an earlier one has an edit before it.");
  options.progress({ done: tried.length, total: most, message: `Comparing frames around edit ${edit.id}` });
  const shown = await compareFrames(good, bad, recording, states, copy, options);
  if (!shown.ok) return shown;
  return ok({
    isSame: false,
    edit: await describe(edit, bad.count, states, options.project),
    difference: bad.difference,
    ...shown.value,
    runs: runs(),
  });
}

/** The number of edits before the recording was made. */
async function recordedAfter(
  { project, place }: BisectOptions,
  edits: readonly JournalEntry[],
): Promise<number> {
  const [made] = (await project.journal.entries(place.res)).filter((entry) => !entry.undone);
  return made === undefined ? 0 : edits.filter(({ id }) => id < made.id).length;
}

/** A game that ends early, hangs or does not start plays differently too. */
async function tryState(
  count: number,
  recording: Recording,
  states: EditStates,
  copy: ProjectCopy,
  options: BisectOptions,
  look: Look,
): Promise<Result<Tried>> {
  copy.put(states.after(count));
  const ready = await importCopy(copy, options);
  if (!ready.ok) return ready;
  const { binary, env, timeoutMs, clock, signal, place } = options;
  const seen = await play(recording, {
    binary,
    project: copy.root,
    env,
    display: isSeen(recording) ? "auto" : "none",
    folder: join(options.folder, String(count)),
    kept: recording.pictures.map((picture) => pictureOf(place.absolute, picture)),
    capture: false,
    timeoutMs,
    clock,
    signal,
    home: copy.home(`${count}`),
    look,
  });
  if (!seen.ok) {
    if (
      signal.aborted ||
      seen.failure.code === "E_PERMISSION_DENIED" ||
      seen.failure.code === "E_UNSUPPORTED"
    )
      return seen;
    return ok({ count, isSame: false, difference: seen.failure.message });
  }
  const verdict = verdictOf(recording, seen.value);
  const difference = verdict.isSame ? "" : whatDiffers(verdict);
  return ok({ count, isSame: verdict.isSame, difference, played: seen.value, verdict });
}

/** The copy has the current cache of the project; an earlier state may have other classes and assets. */
async function importCopy(
  copy: ProjectCopy,
  { binary, env, clock, signal }: BisectOptions,
): Promise<Result<void>> {
  if (await isImported(new Project(copy.root, () => clock.now()))) return ok(undefined);
  const imported = await runProcess(binary.path, {
    args: ["--headless", "--path", copy.root, "--import"],
    env: headlessEnvironment(env, copy.home("import")),
    timeoutMs: IMPORT_MS,
    clock,
    signal,
  });
  return imported.ok ? ok(undefined) : imported;
}

interface Shown {
  readonly frame?: number;
  readonly differs?: NonNullable<Bisected["differs"]>;
  readonly pictures?: NonNullable<Bisected["pictures"]>;
}

/** Plays both sides of the edit again up to the first different frame, reads all nodes there and takes screenshots. */
async function compareFrames(
  good: Tried,
  bad: Tried,
  recording: Recording,
  states: EditStates,
  copy: ProjectCopy,
  options: BisectOptions,
): Promise<Result<Shown>> {
  if (good.played === undefined || bad.played === undefined) return ok({});
  const check = bad.verdict?.checks.find((each) => !each.isSame);
  // Variables can differ without a visible difference.
  const first = firstDifference(good.played.trace, bad.played.trace) ?? check;
  if (first === undefined) return ok({});
  const { frame, instance = 1 } = first;
  const failing = check?.frame ?? frame;
  const shots = hasDisplay(options.binary.path, options.env)
    ? [...new Set([frame, Math.max(frame, failing)])]
    : [];
  const sides: (Played | undefined)[] = [];
  for (const { count } of [good, bad]) {
    const folder = join(options.folder, `side-${count}`);
    const short: Recording = {
      ...recording,
      frames: Math.max(frame, ...shots),
      checks: [],
      pictures: shots.map((at) => ({ frame: at, instance })),
    };
    copy.put(states.after(count));
    const ready = await importCopy(copy, options);
    if (!ready.ok) return ready;
    const { binary, env, timeoutMs, clock, signal } = options;
    const seen = await play(short, {
      binary,
      project: copy.root,
      env,
      display: shots.length > 0 ? "auto" : "none",
      folder,
      kept: (sides[0]?.pictures ?? []).map(({ path }) => path),
      capture: false,
      timeoutMs,
      clock,
      signal,
      home: copy.home(`side-${count}`),
      look: { stateAt: frame },
    });
    if (!seen.ok) return signal.aborted ? seen : ok({ frame });
    sides.push(seen.value);
  }
  const [before, after] = sides;
  if (before === undefined || after === undefined) return ok({ frame });
  const last = shots.length - 1;
  const [old, fresh] = [before.pictures[last], after.pictures[last]];
  return ok({
    frame,
    differs: differencesOf(before.state, after.state),
    ...(old?.width !== undefined &&
      fresh?.width !== undefined && {
        pictures: {
          frame: shots[last] ?? frame,
          before: old.path,
          after: fresh.path,
          ...(existsSync(fresh.difference) && { difference: fresh.difference }),
        },
      }),
  });
}

/** The first frame that looks different in an instance. */
function firstDifference(before: Played["trace"], after: Played["trace"]) {
  for (const [at, games] of before.entries())
    for (const [game, [whole, halves]] of games.entries()) {
      const other = after[at]?.[game];
      if (whole !== other?.[0] && halves !== other?.[1]) return { frame: at + 1, instance: game + 1 };
    }
  return undefined;
}

function differencesOf(before: GameState, after: GameState): NonNullable<Bisected["differs"]> {
  const nodes = new Set([...Object.keys(before), ...Object.keys(after)]);
  const rows: { node: string; property: string; before: Json; after: Json }[] = [];
  for (const node of nodes) {
    const [old, fresh] = [before[node], after[node]];
    if (old === undefined || fresh === undefined)
      rows.push({ node, property: "exists", before: old !== undefined, after: fresh !== undefined });
    else
      for (const property of new Set([...Object.keys(old), ...Object.keys(fresh)])) {
        const values = { before: old[property] ?? null, after: fresh[property] ?? null };
        if (!isSameValue(values.before, values.after, TOLERANCE)) rows.push({ node, property, ...values });
      }
  }
  return rows.slice(0, MAX_DIFFERENCES);
}

async function describe(
  edit: JournalEntry,
  count: number,
  states: EditStates,
  project: Project,
): Promise<NonNullable<Bisected["edit"]>> {
  const [before, after] = [states.after(count - 1), states.after(count)];
  const call = await callOf(project, edit);
  const files = edit.files.filter(({ path }) => after.has(path));
  const alsoChanged = files
    .filter(
      ({ path, after: written }) => written !== undefined && written !== digestOf(after.get(path) ?? null),
    )
    .map(({ path }) => path);
  return {
    id: edit.id,
    at: new Date(edit.at).toISOString(),
    label: edit.label,
    ...(call !== undefined && { call }),
    files: files.map(({ path }) => ({
      path,
      change: changeOf(before.get(path) ?? null, after.get(path) ?? null),
    })),
    ...(alsoChanged.length > 0 && { alsoChanged }),
  };
}

function isSeen({ pictures, checks }: Recording): boolean {
  return pictures.length > 0 || checks.some(({ pixel }) => pixel !== undefined);
}
