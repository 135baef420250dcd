import type { Progress } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import type { Driver, Edit, GodotDriver, Mode } from "../operations/driver.ts";
import type { EditOperation, ParamsOf, Question, ResultOf } from "../operations/operations.ts";
import type { JournalEntry } from "../project/journal-entry.ts";
import type { Project } from "../project/project.ts";
import type { ProjectPath } from "../project/project-path.ts";
import { type CommittedEdit, commitEdit } from "./commit/commit-edit.ts";
import type { Drivers } from "./drivers.ts";

export interface DriverContext {
  readonly project: Project;
  readonly workspace: Drivers;
  readonly signal: AbortSignal;
  /** Receives the progress of the project's first import. */
  readonly progress?: (progress: Progress) => void;
}

export interface SceneRequest {
  /** Optional if an editor has a scene open. */
  readonly scene?: string | undefined;
  readonly mode?: Mode | undefined;
}

export interface DriverAnswer<T> {
  readonly value: T;
  readonly mode: Mode;
  readonly warnings: readonly string[];
}

/** Asks the driver of the given mode, or the best one that can answer. */
export function ask<O extends Question>(
  { workspace, signal, progress }: Omit<DriverContext, "project">,
  mode: Mode | undefined,
  operation: O,
  params: ParamsOf<O>,
): Promise<Result<DriverAnswer<ResultOf<O>>>> {
  return workspace.use(
    mode,
    signal,
    (driver, warnings) => askDriver(driver, operation, params, signal, warnings),
    { isRead: true, progress },
  );
}

/** Asks about a scene, by default the one open in the editor. */
export function askAboutScene<O extends Question>(
  context: DriverContext,
  request: SceneRequest,
  operation: O,
  params: (scene: string) => ParamsOf<O>,
): Promise<Result<DriverAnswer<ResultOf<O>>>> {
  return context.workspace.use(
    request.mode,
    context.signal,
    async (driver, warnings) => {
      const path = await scenePath(context, driver, request.scene);
      if (!path.ok) return path;
      return askDriver(driver, operation, params(path.value.res), context.signal, warnings);
    },
    { isRead: true, progress: context.progress },
  );
}

/** Carries out an edit with the driver of the given mode, or the best one that can do it. */
export function commitWith<O extends EditOperation>(
  { project, workspace, signal }: DriverContext,
  mode: Mode | undefined,
  edit: Edit<O>,
): Promise<Result<CommittedEdit<O>>> {
  return workspace.use(mode, signal, (driver, warnings) =>
    commitEdit({ project, signal }, driver, edit, warnings),
  );
}

/** Makes an editor reload restored scenes. Otherwise it shows the old content until the user focuses its window. */
export async function showRestored(editor: GodotDriver, { files }: JournalEntry): Promise<void> {
  for (const { path } of files)
    if (/\.t?scn$/.test(path))
      await editor.request("editor.reload_scene", { scene: path, keepUnsaved: true });
}

async function askDriver<O extends Question>(
  driver: Driver,
  operation: O,
  params: ParamsOf<O>,
  signal: AbortSignal,
  warnings: readonly string[],
): Promise<Result<DriverAnswer<ResultOf<O>>>> {
  const answer = await driver.request(operation, params, { signal });
  return answer.ok ? ok({ value: answer.value, mode: driver.mode, warnings }) : answer;
}

/** The named scene, or the one open in the editor. */
export async function scenePath(
  { project, signal }: DriverContext,
  driver: Driver,
  scene: string | undefined,
): Promise<Result<ProjectPath>> {
  const named = scene === undefined ? await currentScene(driver, signal) : ok(scene);
  if (!named.ok) return named;
  const path = await project.resolve(named.value);
  if (!path.ok || /\.t?scn$/.test(path.value.res)) return path;
  return errors.fail(
    "E_SCHEMA_VALIDATION",
    `${path.value.res} is not a scene: its name ends in .tscn or .scn.`,
    { details: { path: path.value.res } },
  );
}

async function currentScene(driver: Driver, signal: AbortSignal): Promise<Result<string>> {
  const needed = () =>
    errors.fail("E_SCHEMA_VALIDATION", "Name the scene: no editor has one open.", {
      suggestedFix: "Add scene, such as res://main.tscn.",
    });
  if (driver.mode !== "editor") return needed();
  const state = await driver.request("editor.state", {}, { signal });
  if (!state.ok) return state;
  return state.value.current === null ? needed() : ok(state.value.current);
}
