import { randomBytes } from "node:crypto";
import {
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import type { Clock, Failure, Progress } from "@toolpact/contract";
import { makeFolderSync } from "@toolpact/file-lock";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import type { GodotBinary } from "../godot/binary.ts";
import { writeAtomically } from "../project/atomic-write.ts";
import { diskFailure } from "../project/project.ts";
import type { PathCode, ProjectPath } from "../project/project-path.ts";
import { stateFolder } from "../project/state-folder.ts";
import type { LoggedProblem } from "../testing/engine-log.ts";
import { runLogged } from "./logged-run.ts";
import type { BuildKind } from "./platforms.ts";
import type { Preset } from "./presets.ts";

type BuildCode =
  | "E_INTERNAL"
  | "E_NOT_FOUND"
  | "E_PERMISSION_DENIED"
  | "E_SCHEMA_VALIDATION"
  | "E_TIMEOUT"
  | "E_UNSUPPORTED";

export interface BuildOptions {
  readonly binary: GodotBinary;
  readonly project: string;
  /** The user's environment: it locates templates, keystores and tools. */
  readonly env: Readonly<Record<string, string>>;
  readonly kind: BuildKind;
  readonly target: ProjectPath;
  /** Whether it may replace files that are not from an earlier build. */
  readonly overwrite: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly progress: (progress: Progress) => void;
}

interface Build {
  readonly path: string;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  readonly durationMs: number;
  readonly problems: readonly LoggedProblem[];
  /** Printed lines of the export, without its progress. */
  readonly output: readonly string[];
}

/**
 * Exports a preset. Godot writes into a temporary folder and the files are moved when all are there; an export that
 * fails or is canceled leaves the earlier build unchanged.
 */
export async function exportBuild(preset: Preset, options: BuildOptions): Promise<Result<Build, BuildCode>> {
  const { binary, project, kind, target, clock, signal, timeoutMs } = options;
  const startedAt = clock.now();
  const refused = await refusal([{ ...target, isFolder: FOLDERS.includes(extname(target.res)) }], options);
  if (refused !== undefined) return refused;
  const staging = join(await stateFolder(project), "exports", randomBytes(6).toString("hex"));
  const draft = join(staging, "files", basename(target.absolute));
  makeFolderSync(dirname(draft), 0o777);
  try {
    const { ended, problems, output } = await runLogged(binary.path, {
      args: ["--headless", "--path", project, `--export-${kind}`, preset.name, draft],
      // This Godot must not connect as an editor.
      env: { ...options.env, GODOT_MCP_BRIDGE: "off" },
      logFile: join(staging, "log.txt"),
      timeoutMs,
      clock,
      signal,
      onLine: progressOf(options.progress),
    });
    if (!ended.ok) return cancelled(ended.failure, preset);
    const printed = output.filter((line) => !line.startsWith("["));
    if (ended.value.code !== 0 || !existsSync(draft))
      return failedExport(preset, ended.value.code, problems, printed);
    const files = await put(dirname(draft), options);
    if (!files.ok) return files;
    const durationMs = clock.now() - startedAt;
    return ok({ path: target.res, files: files.value, durationMs, problems, output: printed });
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** `[  50% ] savepack | Storing File: res://main.tscn`; each stage starts at 0. */
function progressOf(progress: (progress: Progress) => void): (line: string) => void {
  let stages = 0;
  let stage = "";
  let done = 0;
  return (line) => {
    const [, percent, name = "", message = ""] = /^\[ +(\d+)% \] (\w+) \| (.+)$/.exec(line) ?? [];
    if (percent === undefined) return;
    if (name !== stage) stages += 1;
    stage = name;
    const now = (stages - 1) * 100 + Number(percent);
    if (now <= done) return;
    done = now;
    progress({ done, message: `${name}: ${message}` });
  };
}

/** Extensions of builds that are folders. */
const FOLDERS: readonly string[] = [".app", ".xcodeproj"];

/** Checks all targets before it replaces any. */
async function put(
  from: string,
  { project, target, overwrite }: BuildOptions,
): Promise<Result<Build["files"], BuildCode>> {
  const folder = dirname(target.absolute);
  const made = readdirSync(from).map((name) => {
    const draft = join(from, name);
    const found = statSync(draft);
    const res = target.res.slice(0, target.res.lastIndexOf("/") + 1) + name;
    return { draft, res, absolute: join(folder, name), bytes: found.size, isFolder: found.isDirectory() };
  });
  const refused = await refusal(made, { project, target, overwrite });
  if (refused !== undefined) return refused;
  try {
    if (!existsSync(folder)) {
      makeFolderSync(folder, 0o777);
      // Godot would import the images and scripts of a build.
      writeFileSync(join(folder, ".gdignore"), "");
    }
    for (const { draft, absolute, isFolder } of made) {
      if (isFolder) rmSync(absolute, { recursive: true, force: true });
      move(draft, absolute);
    }
    await noteBuild(project, made);
    return ok(made.map(({ res, bytes }) => ({ path: res, bytes })));
  } catch (error) {
    return diskFailure(error as NodeJS.ErrnoException, target.res);
  }
}

async function refusal(
  places: readonly BuildPlace[],
  { project, target, overwrite }: Pick<BuildOptions, "project" | "target" | "overwrite">,
) {
  try {
    for (const place of places) {
      const allowed = await canReplace(project, place, overwrite);
      if (!allowed.ok) return allowed;
    }
    return undefined;
  } catch (error) {
    return diskFailure(error as NodeJS.ErrnoException, target.res);
  }
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    rmSync(to, { force: true });
    cpSync(from, to, { recursive: true });
  }
}

function cancelled({ code, message, details }: Failure<BuildCode>, { name }: Preset) {
  return errors.fail(code, `The export of "${name}" did not end: ${message} No build was changed.`, {
    ...(details !== undefined && { details }),
    suggestedFix: "Give it more time with timeoutMs; the first export imports the whole project.",
  });
}

function failedExport(
  { name }: Preset,
  exit: number | null,
  problems: readonly LoggedProblem[],
  output: readonly string[],
) {
  const [first] = problems.filter(({ severity }) => severity === "error");
  return errors.fail(
    "E_UNSUPPORTED",
    `Godot could not export "${name}": ${first?.message ?? `exit code ${exit}`}. No build was changed.`,
    {
      details: {
        exit,
        // Problems are JSON; their interface only lacks an index signature.
        problems: problems.map((problem) => ({
          ...problem,
          stack: [...(problem.stack ?? [])].map((f) => ({ ...f })),
        })),
        output: output.slice(-20),
      },
      suggestedFix: "Fix what the problems in the details name; presets checks what can be known before.",
    },
  );
}

interface BuildPlace extends ProjectPath {
  readonly isFolder: boolean;
}

/** Refuses to replace files other than an earlier build, unless `overwrite` is set. */
async function canReplace(
  project: string,
  { res, absolute, isFolder }: BuildPlace,
  overwrite: boolean,
): Promise<Result<void, PathCode>> {
  const found = lstatSync(absolute, { throwIfNoEntry: false });
  if (found === undefined) return ok(undefined);
  if (found.isDirectory() && !isFolder)
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `${res} is a folder, and the build is a file. No build was changed.`,
      { suggestedFix: "Give another path." },
    );
  const before = (await earlierBuilds(project))[res];
  if (overwrite || (before?.bytes === found.size && before.at === found.mtimeMs)) return ok(undefined);
  return errors.fail(
    "E_PERMISSION_DENIED",
    `${res} is there already, and not as a build left it. No build was changed.`,
    {
      details: { gate: "overwrite", path: res },
      suggestedFix: "Give another path, or set overwrite to replace it for good.",
      fixBy: "agent",
    },
  );
}

/** Records the files of a build, which later builds may replace. */
async function noteBuild(project: string, places: readonly ProjectPath[]): Promise<void> {
  const left = places.map(({ res, absolute }) => {
    const { size, mtimeMs } = lstatSync(absolute);
    return [res, { bytes: size, at: mtimeMs }] as const;
  });
  const builds: Builds = { ...(await earlierBuilds(project)), ...Object.fromEntries(left) };
  const folder = await stateFolder(project);
  await writeAtomically(await listOf(project), JSON.stringify(builds, null, 2), join(folder, "drafts"));
}

/** Keyed by `res://` path. A file whose size or time changed was modified by somebody else. */
type Builds = Readonly<Record<string, { readonly bytes: number; readonly at: number }>>;

/** An unreadable list counts as empty: the next build then replaces nothing without `overwrite`. */
async function earlierBuilds(project: string): Promise<Builds> {
  try {
    // Written only above.
    return JSON.parse(readFileSync(await listOf(project), "utf8")) as Builds;
  } catch {
    return {};
  }
}

async function listOf(project: string): Promise<string> {
  return join(await stateFolder(project), "builds.json");
}
