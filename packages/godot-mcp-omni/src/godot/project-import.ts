import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Failure, JsonObject, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import { errors, type GodotCode } from "../errors.ts";
import type { GodotBinary } from "./binary.ts";
import { type Environment, headlessEnvironment } from "./environment.ts";
import { runProcess } from "./process.ts";

/** What one Godot process of its own needs. */
export interface ProjectRun {
  readonly binary: GodotBinary;
  readonly project: string;
  readonly env: Environment;
  readonly home: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

type Answer = Outcome<JsonObject, Failure<GodotCode>>;

/** Whether Godot has ever gone through the project's files; before, classes and textures are unknown to it. */
export function isImported(project: string): boolean {
  return existsSync(join(project, ".godot/global_script_class_cache.cfg"));
}

export async function importProject(run: ProjectRun): Promise<Answer> {
  const ended = await runProcess(run.binary.path, {
    ...run,
    args: ["--headless", "--path", run.project, "--import"],
    env: { ...headlessEnvironment(run.env, run.home), GODOT_MCP_BRIDGE: "off" },
  });
  if (!ended.ok) return ended;
  if (ended.value.code === 0) return ok({ imported: true });
  return errors.fail("E_INTERNAL", "Godot could not import the project.", {
    details: { exit: ended.value.code, output: ended.value.output.slice(-40) },
  });
}
