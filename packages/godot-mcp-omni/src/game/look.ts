import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, JsonObject } from "@toolpact/contract";
import { isJsonObject, parseJson } from "@toolpact/contract/internal";
import { makeFolderSync } from "@toolpact/file-lock";
import { failed, ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type ReplyCode, type Result } from "../errors.ts";
import type { GodotBinary } from "../godot/binary.ts";
import { cacheFolder, type Environment } from "../godot/environment.ts";
import { packageFolder } from "../godot/package-folder.ts";
import { runProcess } from "../godot/process.ts";
import { count, list, text } from "../shapes.ts";
import { failureOf } from "./control.ts";
import { NO_XVFB, openDisplay } from "./display.ts";
import { changedSince, nothingToSee } from "./film.ts";

const numbers = list(z.number());

export const looked = z.strictObject({
  /** The pictures of the sheet by number, and the size of their content: meters in 3D, pixels otherwise. */
  views: list(z.strictObject({ number: count, view: text, size: numbers })),
  /** The drawn nodes, each with its size and its center, or the corner of a control. */
  nodes: list(z.strictObject({ node: text, type: text, size: numbers, at: numbers })),
  more: count.exactOptional(),
  width: count,
  height: count,
  path: text,
  /** The share of the sheet that changed since the last look at the same target. */
  changed: z.number().exactOptional(),
});

export interface LookOptions {
  readonly binary: GodotBinary;
  readonly project: string;
  readonly env: Environment;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The folder of sheets, to compare the next look with. */
  readonly folder: string;
  /** `res://…` */
  readonly path: string;
  readonly node?: string;
  readonly sizes: readonly (readonly [number, number])[];
}

const LOOK_MS = 90_000;

/** Draws a scene, a node or a resource into one sheet of pictures, without an editor. */
export async function lookAt(
  options: LookOptions,
): Promise<Result<{ readonly looked: z.infer<typeof looked>; readonly png: string }, ReplyCode>> {
  const { binary, project, env, clock, signal, path, node, sizes } = options;
  const about = { godot: binary.path, env, home: join(cacheFolder(env, process.platform), "home"), clock };
  const virtual = await openDisplay({ choice: "virtual", ...about });
  // On a real display a window appears for a moment.
  const display = virtual.ok ? virtual : await openDisplay({ choice: "auto", ...about });
  if (!display.ok) return display;
  const work = mkdtempSync(join(tmpdir(), "godot-look-"));
  try {
    if (display.value.kind === "none") return noDisplay();
    const [answer, picture] = [join(work, "answer.json"), join(work, "sheet.png")];
    const params = { path, sizes, answer, picture, ...(node !== undefined && { node }) };
    const run = await runProcess(binary.path, {
      args: [...display.value.args, "--path", project, "--script", join(packageFolder, "engine/look.gd")],
      env: { ...display.value.env, GODOT_MCP_LOOK: JSON.stringify(params) },
      timeoutMs: LOOK_MS,
      clock,
      signal,
    });
    if (!run.ok) return run;
    const drawn = existsSync(answer) ? parseJson(readFileSync(answer, "utf8")) : undefined;
    if (!isJsonObject(drawn))
      return errors.fail("E_UNSUPPORTED", "Godot ended before the picture was drawn.", {
        details: { output: run.value.output.slice(-20) },
      });
    if (drawn.ok !== true) return failed(failureOf(drawn.error));
    return ok(compared(options, readFileSync(picture), drawn.result as JsonObject));
  } finally {
    display.value.close();
    rmSync(work, { recursive: true, force: true });
  }
}

/** Stores the sheet, and marks changes since the previous one. */
function compared({ folder, path, node, sizes }: LookOptions, png: Buffer, drawn: JsonObject) {
  makeFolderSync(folder, 0o777);
  const name = createHash("sha256")
    .update(JSON.stringify([path, node, sizes]))
    .digest("hex")
    .slice(0, 16);
  const file = join(folder, `${name}.png`);
  const before = existsSync(file) ? readFileSync(file) : undefined;
  writeFileSync(file, png);
  const change = before && changedSince(before, png);
  return {
    looked: {
      // The shape that `engine/look_scene.gd` writes.
      ...(drawn as unknown as Omit<z.infer<typeof looked>, "path" | "changed">),
      path: file,
      ...(change !== undefined && { changed: change.share }),
    },
    png: (change?.marked ?? png).toString("base64"),
  };
}

function noDisplay() {
  const { failure } = nothingToSee();
  return failed({ ...failure, message: "There is no display to draw on.", suggestedFix: NO_XVFB });
}
