import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemClock } from "@toolpact/contract";
import { makeFolderSync } from "@toolpact/file-lock";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { closedToCalls, type Gates } from "../../config/gates.ts";
import { errors, type Result } from "../../errors.ts";
import { mainScene } from "../../export/presets.ts";
import { hasDisplay, NO_XVFB } from "../../game/display.ts";
import type { DisplayChoice } from "../../game/game-shapes.ts";
import type { Project } from "../../project/project.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import { stateFolder } from "../../project/state-folder.ts";
import { type Bisected, bisect, bisected } from "../../recording/bisect.ts";
import { canKeep, keepRecording } from "../../recording/keep.ts";
import { type Look, type Played, play, shownOf } from "../../recording/play.ts";
import {
  pictureOf,
  type Recording,
  readRecording,
  recordedCheck,
  recordedInput,
  recordedPicture,
  recordingFile,
  wholeCheck,
} from "../../recording/recording.ts";
import { reportPage, timesOf, watchedName } from "../../recording/report.ts";
import { comparison, playError, type Verdict, verdictOf, whatDiffers } from "../../recording/verdict.ts";
import { count as amount, json, list, text } from "../../shapes.ts";
import { importFirst } from "../../testing/import-first.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import * as p from "../params.ts";
import { ANY_CODE, count, product, type ToolAnswer } from "../product.ts";

const path = z.string().describe("File of the recording, such as res://jump.json");
const frames = z.int().min(1).max(36_000).describe("How many frames to play");
const timeoutMs = z.int().min(1000).max(1_700_000).optional().describe("Default: 120000");
const TIMEOUT_MS = 120_000;
const FPS = 60;

const recorded = recordingFile.extend({
  path: text,
  checks: list(recordedCheck.extend({ expected: json.optional() })),
  errors: list(playError),
  isSame: z.boolean(),
});

const watched = z.strictObject({ expression: z.string().min(1), node: z.string().exactOptional() });
const MAX_WATCHED = 12;
const SHOTS = 8;
/** Longest side of a picture in a report. */
const SHOT_SIZE = 640;

const reported = z.strictObject({
  /** The file of the page. */
  report: text,
  isSame: z.boolean(),
  frames: amount,
  pictures: amount,
  errors: amount,
  /** Times of one frame; slow is the 95th percentile. */
  frameMs: z.strictObject({ average: z.number(), slow: z.number(), worst: z.number() }),
});

export const recordingTool = product.defineActionTool({
  name: "godot_recording",
  title: "Play-test recordings",
  description:
    "Record inputs in exact frames and replay them the same way every time, comparing values and pictures of the game. To try inputs by hand use godot_game.",
  category: "recording",
  openWorld: false,
  profiles: ["full"],
  needs: ["project", "workspace", "settings"],
  hasContent: true,
  errors: ANY_CODE,
  deadlineMs: 1_800_000,
  actions: (action) => ({
    record: action({
      description: "Play inputs and save them with the values and pictures that replay then expects.",
      effect: "update",
      input: z.strictObject({
        path,
        frames,
        scene: p.sceneFile.optional(),
        inputs: z
          .array(z.looseObject({}))
          .describe(
            '{frame: 10, kind: "action", name: "jump", hold: 5}; kind key {key}, click {text or node}, walk {node, to: {x, y}}, button {x, y}, touch {x, y}, pad {button} or {axis, value}, move {x, y}, text {text}; toX, toY, toText, toNode: drag; pressed: true or false for one half',
          ),
        checks: z
          .array(z.looseObject({}))
          .optional()
          .describe(
            '{frame: 60, node: "Player", expression: "position", tolerance: 0.1} or {frame, pixel: {x, y}}, whose value is [red, green, blue]; expected unless seen is right',
          ),
        pictures: z
          .array(z.looseObject({}))
          .optional()
          .describe("{frame: 60, tolerance: 8, share: 0.001}; needs a display"),
        timeoutMs,
      }),
      output: recorded,
      handler: async (given, { project, workspace, settings, signal }) => {
        const place = await project.resolve(given.path);
        if (!place.ok) return place;
        const inputs = p.checkedItems("inputs", recordedInput, given.inputs);
        if (!inputs.ok) return inputs;
        const checks = p.checkedItems("checks", wholeCheck, given.checks ?? []);
        if (!checks.ok) return checks;
        const pictures = p.checkedItems("pictures", recordedPicture, given.pictures ?? []);
        if (!pictures.ok) return pictures;
        const blank = await blankRecording(project, given);
        if (!blank.ok) return blank;
        const recording: Recording = {
          ...blank.value,
          inputs: [...inputs.value],
          checks: [...checks.value],
          pictures: [...pictures.value],
        };
        const ready = await canKeep(project, place.value);
        if (!ready.ok) return ready;
        const seen = await playHere(recording, place.value, project, workspace, settings, signal, given);
        if (!seen.ok) return seen;
        return saved(recording, seen.value, place.value, project);
      },
    }),
    capture: action({
      description: "Run the game on the screen and record what a person does with keyboard and mouse.",
      effect: "update",
      input: z.strictObject({ path, frames, scene: p.sceneFile.optional(), timeoutMs }),
      output: recorded,
      handler: async (given, { project, workspace, settings, signal }) => {
        const place = await project.resolve(given.path);
        if (!place.ok) return place;
        const blank = await blankRecording(project, given);
        if (!blank.ok) return blank;
        const ready = await canKeep(project, place.value);
        if (!ready.ok) return ready;
        const { timeoutMs } = given;
        const how = { timeoutMs, capture: true };
        const seen = await playHere(blank.value, place.value, project, workspace, settings, signal, how);
        if (!seen.ok) return seen;
        const { inputs, frames } = seen.value;
        return saved({ ...blank.value, inputs: [...inputs], frames }, seen.value, place.value, project);
      },
    }),
    replay: action({
      description: "Play a recording again and compare; with update, save what was seen instead.",
      effect: "update",
      input: z.strictObject({
        path,
        update: z.boolean().optional().describe("Accept what is seen now"),
        timeoutMs,
      }),
      output: z.union([recorded, comparison]),
      handler: async (given, { project, workspace, settings, signal }) => {
        const read = await readHere(given.path, project);
        if (!read.ok) return read;
        const { recording, place } = read.value;
        const seen = await playHere(recording, place, project, workspace, settings, signal, given);
        if (!seen.ok) return seen;
        if (given.update) {
          const forgotten = recording.checks.map(({ expected, ...check }) => check);
          return saved({ ...recording, checks: forgotten }, seen.value, place, project);
        }
        return compared(verdictOf(recording, seen.value));
      },
    }),
    report: action({
      description:
        "Play a recording and write the play-test as one HTML page: pictures, values over time, inputs, frame times, checks and errors.",
      effect: "create",
      input: z.strictObject({
        path,
        watch: z
          .array(z.looseObject({}))
          .max(12)
          .optional()
          .describe('{node: "Player", expression: "position"}; default: the checks of the recording'),
        shots: z.int().min(0).max(60).optional().describe("How many pictures; default: 8"),
        timeoutMs,
      }),
      output: reported,
      handler: async (given, { project, workspace, settings, signal }) => {
        const read = await readHere(given.path, project);
        if (!read.ok) return read;
        const { recording, place } = read.value;
        const watch = p.checkedItems("watch", watched, given.watch ?? checkedValues(recording));
        if (!watch.ok) return watch;
        const refused = watch.value
          .map(({ expression }) => closedToCalls(settings, expression))
          .find(Boolean);
        if (refused !== undefined) return refused;
        const binary = await mayPlay(recording, workspace, settings);
        if (!binary.ok) return binary;
        const canSee = hasDisplay(binary.value.path, workspace.env);
        const frames = canSee ? spread(recording.frames, given.shots ?? SHOTS) : [];
        const seen = await playHere(recording, place, project, workspace, settings, signal, {
          timeoutMs: given.timeoutMs,
          look: { watch: watch.value, pictures: { frames, maxSize: SHOT_SIZE } },
        });
        if (!seen.ok) return seen;
        return report(recording, place, seen.value, watch.value.map(watchedName), project, canSee);
      },
    }),
    bisect: action({
      description:
        "Find the edit that broke a recording: replay it on copies of the project between the edits of the journal, and show the edit and the first frame that differs.",
      effect: "mark",
      input: z.strictObject({ path, timeoutMs }),
      output: bisected,
      handler: async (
        { path, timeoutMs = TIMEOUT_MS },
        { project, workspace, settings, signal, progress },
      ) => {
        const read = await readHere(path, project);
        if (!read.ok) return read;
        const { recording, place } = read.value;
        const binary = await mayPlay(recording, workspace, settings);
        if (!binary.ok) return binary;
        const found = await bisect(recording, {
          project,
          place,
          binary: binary.value,
          env: workspace.env,
          timeoutMs,
          folder: await freshFolder(project),
          clock: systemClock,
          signal,
          progress,
        });
        return found.ok ? brokenBy(found.value) : found;
      },
    }),
  }),
});

interface PlayArguments {
  readonly timeoutMs?: number | undefined;
  readonly capture?: boolean;
  readonly look?: Look;
}

async function playHere(
  recording: Recording,
  place: ProjectPath,
  project: Project,
  workspace: Workspace,
  gates: Gates,
  signal: AbortSignal,
  { timeoutMs = TIMEOUT_MS, capture = false, look = {} }: PlayArguments,
): Promise<Result<Played>> {
  const binary = await mayPlay(recording, workspace, gates);
  if (!binary.ok) return binary;
  const known = await importFirst(project, workspace, signal);
  if (!known.ok) return known;
  const isSeen =
    capture ||
    [...recording.pictures, ...(look.pictures?.frames ?? [])].length > 0 ||
    recording.checks.some(({ pixel }) => pixel);
  const display: DisplayChoice = isSeen ? "auto" : "none";
  return play(recording, {
    binary: binary.value,
    project: project.root,
    env: workspace.env,
    display,
    folder: await freshFolder(project),
    kept: recording.pictures.map((picture) => pictureOf(place.absolute, picture)),
    capture,
    timeoutMs,
    clock: systemClock,
    signal,
    look,
  });
}

async function report(
  recording: Recording,
  place: ProjectPath,
  played: Played,
  names: readonly string[],
  project: Project,
  canSee: boolean,
): Promise<ToolAnswer<z.infer<typeof reported>>> {
  const verdict = verdictOf(recording, played);
  const name = basename(place.res, ".json");
  const file = join(await freshFolder(project, "reports"), `${name}.html`);
  makeFolderSync(dirname(file), 0o777);
  const page = reportPage({
    name,
    project: (await projectName(project)) ?? basename(project.root),
    recording,
    played,
    verdict,
    watched: names,
    pictures: played.shots.map(({ frame, path }) => ({ frame, png: readFileSync(path) })),
    ...(!canSee && { withoutPictures: `There is no display to show the game on. ${NO_XVFB}` }),
    madeAt: systemClock.now(),
  });
  writeFileSync(file, page);
  const { average, slow, worst } = timesOf(played.times);
  const { isSame, errors } = verdict;
  return ok(
    {
      report: file,
      isSame,
      frames: played.frames,
      pictures: played.shots.length,
      errors: errors.length,
      frameMs: { average: rounded(average), slow: rounded(slow), worst: rounded(worst) },
    },
    {
      summary: `${isSame ? "The game played as recorded." : whatDiffers(verdict)} The report is in ${file}.`,
    },
  );
}

function rounded(ms: number): number {
  return Number(ms.toFixed(2));
}

/** The values that the checks use are also the ones to plot over time. */
function checkedValues({ checks }: Recording): readonly z.infer<typeof watched>[] {
  const all = checks.flatMap(({ expression, node }) =>
    expression === undefined ? [] : [{ expression, ...(node !== undefined && { node }) }],
  );
  return all
    .filter((each, at) => all.findIndex((other) => watchedName(other) === watchedName(each)) === at)
    .slice(0, MAX_WATCHED);
}

/** Frames that are evenly spread, the last one among them. */
function spread(frames: number, shots: number): readonly number[] {
  const all = Array.from({ length: shots }, (_, at) => Math.round(((at + 1) / shots) * frames));
  return [...new Set(all)].filter((frame) => frame > 0);
}

async function projectName(project: Project): Promise<string | undefined> {
  const text = await project.textOf("res://project.godot");
  return /^config\/name="([^"]+)"/m.exec(text ?? "")?.[1];
}

/** The Godot to play with, unless an expression is not allowed. */
async function mayPlay(recording: Recording, workspace: Workspace, gates: Gates) {
  for (const { expression = "" } of recording.checks) {
    const refused = closedToCalls(gates, expression);
    if (refused !== undefined) return refused;
  }
  return workspace.binaryOutsideSandbox();
}

async function readHere(given: string, project: Project) {
  const read = await project.readText(given);
  if (!read.ok) return read;
  const recording = readRecording(read.value.text, read.value.path.res);
  return recording.ok ? ok({ recording: recording.value, place: read.value.path }) : recording;
}

/** For the pictures of one play; only those of the last one are kept. */
async function freshFolder(project: Project, kind = "recordings"): Promise<string> {
  const folder = join(await stateFolder(project.root), kind);
  // Reports are what somebody asked for, and stay.
  if (kind === "recordings") rmSync(folder, { recursive: true, force: true });
  return join(folder, randomBytes(4).toString("hex"));
}

function brokenBy(found: Bisected): ToolAnswer<Bisected> {
  const { edit, isSame, frame, difference, runs, pictures } = found;
  const plays = `${count(runs.length, "play")}.`;
  if (isSame) return ok(found, { summary: `It plays as recorded, so no edit broke it. ${plays}` });
  if (edit === undefined)
    return ok(found, {
      summary: `It played differently before the oldest edit that the journal has: ${difference} ${plays}`,
    });
  const since = frame === undefined ? "" : ` The first frame that differs is ${frame}.`;
  return ok(found, {
    summary: `Edit ${edit.id} (${edit.label}) broke it.${since} ${difference} ${plays}`,
    ...(pictures !== undefined && {
      content: [pictures.before, pictures.after].map((file) => ({
        type: "image" as const,
        data: readFileSync(file).toString("base64"),
        mimeType: "image/png",
      })),
    }),
  });
}

async function saved(
  given: Recording,
  seen: Played,
  place: ProjectPath,
  project: Project,
): Promise<ToolAnswer<z.input<typeof recorded>>> {
  const done = await keepRecording(given, seen, place, project);
  if (!done.ok) return done;
  const { recording, verdict } = done.value;
  const { inputs, frames, checks, pictures } = recording;
  const what = `${count(inputs.length, "input")} in ${count(frames, "frame")}, ${count(checks.length, "value")} and ${count(pictures.length, "picture")}.`;
  const { errors, isSame } = verdict;
  return ok(
    { path: place.res, ...recording, errors, isSame },
    { summary: `${place.res}: ${what}${isSame ? "" : ` ${whatDiffers(verdict)}`}` },
  );
}

function compared(verdict: Verdict): ToolAnswer<Verdict> {
  const changed = verdict.pictures.find(
    (picture) => !picture.isSame && existsSync(shownOf(picture.difference)),
  );
  return ok(verdict, {
    summary: verdict.isSame ? "The game played as recorded." : whatDiffers(verdict),
    ...(changed !== undefined && {
      content: [
        {
          type: "image",
          data: readFileSync(shownOf(changed.difference)).toString("base64"),
          mimeType: "image/png",
        },
      ],
    }),
  });
}

/** Without inputs; of the main scene unless another is named. */
async function blankRecording(
  project: Project,
  given: { readonly scene?: string | undefined; readonly frames: number },
): Promise<Result<Recording>> {
  const found = given.scene === undefined ? undefined : await project.readBytes(given.scene);
  if (found !== undefined && !found.ok) return found;
  const scene = found?.value.path.res ?? (await mainScene(project));
  if (scene === undefined)
    return errors.fail("E_NOT_FOUND", "The project has no main scene.", { suggestedFix: "Name a scene." });
  const { frames } = given;
  return ok({ recording: 1, scene, frames, fps: FPS, seed: 1, inputs: [], checks: [], pictures: [] });
}
