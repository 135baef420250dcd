import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemClock } from "@toolpact/contract";
import { makeFolderSync } from "@toolpact/file-lock";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { NO_XVFB } from "../../game/display.ts";
import type { Project } from "../../project/project.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import { stateFolder } from "../../project/state-folder.ts";
import type { Bisected } from "../../recording/bisect.ts";
import { keepRecording } from "../../recording/keep.ts";
import { shownOf } from "../../recording/play.ts";
import type { Played } from "../../recording/played.ts";
import { type Recording, recordedCheck, recordingFile } from "../../recording/recording.ts";
import { reportPage, timesOf } from "../../recording/report.ts";
import { playError, type Verdict, verdictOf, whatDiffers } from "../../recording/verdict.ts";
import { count as amount, json, list, text } from "../../shapes.ts";
import { shortValues } from "../../shortened-page.ts";
import { count, logsOf, type ToolAnswer } from "../product.ts";

export const recorded = recordingFile.extend({
  path: text,
  checks: list(recordedCheck.extend({ expected: json.optional() })),
  errors: list(playError),
  isSame: z.boolean(),
});

export const reported = z.strictObject({
  report: text,
  isSame: z.boolean(),
  frames: amount,
  pictures: amount,
  errors: amount,
  /** Times of one frame; slow is the 95th percentile. */
  frameMs: z.strictObject({ average: z.number(), slow: z.number(), worst: z.number() }),
});

export async function saved(
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
    {
      summary: `${place.res}: ${what}${isSame ? "" : ` ${whatDiffers(verdict)}`}`,
      ...logsOf(seen.output),
    },
  );
}

export function compared(verdict: Verdict, { output }: Played): ToolAnswer<Verdict> {
  const changed = verdict.pictures.find(
    (picture) => !picture.isSame && existsSync(shownOf(picture.difference)),
  );
  return ok(verdict, {
    summary: verdict.isSame ? "The game played as recorded." : whatDiffers(verdict),
    ...logsOf(output),
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

/** Writes the play-test as one page. */
export async function report(
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
    pictures: played.shots.map(({ path, ...shot }) => ({ ...shot, png: readFileSync(path) })),
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
      ...logsOf(played.output),
    },
  );
}

function rounded(ms: number): number {
  return Number(ms.toFixed(2));
}

export function brokenBy(all: Bisected): ToolAnswer<Bisected> {
  // A value may be a whole texture, and a change a whole scene.
  const found = shortValues(all);
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

/** A folder for the screenshots of one run; only those of the last one are kept. */
export async function freshFolder(project: Project, kind = "recordings"): Promise<string> {
  const folder = join(await stateFolder(project.root), kind);
  // Reports were requested by the caller, and stay.
  if (kind === "recordings") rmSync(folder, { recursive: true, force: true });
  return join(folder, randomBytes(4).toString("hex"));
}

async function projectName(project: Project): Promise<string | undefined> {
  const text = await project.textOf("res://project.godot");
  return /^config\/name="([^"]+)"/m.exec(text ?? "")?.[1];
}
