import { systemClock } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { closedToCalls, type Gates } from "../../config/gates.ts";
import { errors, type Result } from "../../errors.ts";
import { mainScene } from "../../export/presets.ts";
import { hasDisplay } from "../../game/display.ts";
import type { DisplayChoice } from "../../game/game-shapes.ts";
import type { Project } from "../../project/project.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import { bisect, bisected } from "../../recording/bisect.ts";
import { canKeep } from "../../recording/keep.ts";
import { type Look, play } from "../../recording/play.ts";
import type { Played } from "../../recording/played.ts";
import {
  MAX_INSTANCES,
  pictureOf,
  type Recording,
  readRecording,
  recordedInput,
  recordedPicture,
  type Watched,
  watched,
  wholeCheck,
} from "../../recording/recording.ts";
import { watchedName } from "../../recording/report.ts";
import { comparison, verdictOf } from "../../recording/verdict.ts";
import { importFirst } from "../../testing/import-first.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import * as p from "../params.ts";
import { ANY_CODE, product } from "../product.ts";
import { brokenBy, compared, freshFolder, recorded, report, reported, saved } from "./recording-answers.ts";

const path = z.string().describe("File of the recording, such as res://jump.json");
const frames = z.int().min(1).max(36_000).describe("How many frames to play");
const timeoutMs = z.int().min(1000).max(1_700_000).optional().describe("Default: 120000");
const TIMEOUT_MS = 120_000;
const FPS = 60;

const MAX_WATCHED = 12;
const SHOTS = 8;
/** Longest side of a picture in a report. */
const SHOT_SIZE = 640;

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
        instances: z
          .array(z.string())
          .min(2)
          .max(MAX_INSTANCES)
          .optional()
          .describe(
            "Arguments of each game that plays: --host. Inputs and checks then have an instance, from 1",
          ),
        inputs: z
          .array(z.looseObject({}))
          .describe(
            '{frame: 10, kind: "action", name: "jump", hold: 5}; kind key {key}, click {text or node}, walk {node, to: {x, y} or node}, button {x, y}, touch {x, y}, pad {button} or {axis, value}, move {x, y}, text {text}; toX, toY, toText, toNode: drag; pressed: true or false for one half',
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
          ...p.defined({ instances: given.instances }),
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
        return compared(verdictOf(recording, seen.value), seen.value);
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

/** Plots the values that the checks use by default. */
function checkedValues({ checks }: Recording): readonly Watched[] {
  const all = checks.flatMap(({ expression, node, instance }) =>
    expression === undefined ? [] : [{ expression, ...p.defined({ node, instance }) }],
  );
  return all
    .filter((each, at) => all.findIndex((other) => watchedName(other) === watchedName(each)) === at)
    .slice(0, MAX_WATCHED);
}

/** Evenly spread frames, including the last one. */
function spread(frames: number, shots: number): readonly number[] {
  const all = Array.from({ length: shots }, (_, at) => Math.round(((at + 1) / shots) * frames));
  return [...new Set(all)].filter((frame) => frame > 0);
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

/** A recording without inputs, by default of the main scene. */
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
