import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import { type BuildProblem, buildProblems } from "../formats/build-output.ts";
import { type GodotBinary, isExecutable, searchFolders } from "../godot/binary.ts";
import { cacheFolder, dotnetEnvironment, type Environment } from "../godot/environment.ts";
import { runProcess } from "../godot/process.ts";
import type { Project } from "../project/project.ts";

export interface CSharpBuildOptions {
  readonly project: Project;
  /** The Godot that the project may be opened with: a build runs what the project's files name. */
  readonly binary: GodotBinary;
  readonly env: Environment;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface CSharpBuild {
  readonly problems: readonly BuildProblem[];
  /** The build wrote more than is kept, and its first lines are lost. */
  readonly isCut: boolean;
}

/** Below the time that a call has, so that the answer says what was too slow. */
const BUILD_MS = 240_000;

/** A build of a large project has many warnings, and its errors may be before them. */
const KEPT_LINES = 4_000;

const SWITCHES = [
  ...["-c", "Debug", "-nologo", "-verbosity:quiet", "-consoleLoggerParameters:NoSummary"],
  // Else processes that stay for the next build hold the output open, and outlive this server.
  ...["-nodeReuse:false", "-p:UseSharedCompilation=false"],
];

/** Builds the C# of a project as Godot does, into `.godot/mono/temp`, and tells what the compiler says. */
export async function buildCSharp({
  project,
  binary,
  env,
  clock,
  signal,
}: CSharpBuildOptions): Promise<Result<CSharpBuild, "E_UNSUPPORTED" | "E_TIMEOUT">> {
  if (!binary.hasDotNet)
    return unsupported(
      `Godot ${binary.version} has no .NET, so C# is not built.`,
      "Set GODOT_PATH to a .NET build of Godot.",
    );
  const file = await projectFile(project);
  if (file === undefined)
    return unsupported(
      "The project's folder has no .csproj of Godot's for its C#, or several.",
      "In the editor: Project > Tools > C# > Create C# solution.",
    );
  const dotnet = await findDotNet(env);
  if (dotnet === undefined)
    return unsupported(
      "There is no dotnet on this machine to build C# with.",
      "Install the .NET SDK, and put dotnet into PATH or its folder into DOTNET_ROOT.",
    );
  // Two builds at once would be in each other's files.
  const run = await project.inTurn(`res://${file}`, () =>
    runProcess(dotnet, {
      args: ["build", join(project.root, file), ...SWITCHES],
      cwd: project.root,
      env: dotnetEnvironment(env, join(cacheFolder(env, process.platform), "home")),
      timeoutMs: BUILD_MS,
      keptLines: KEPT_LINES,
      name: "dotnet build",
      clock,
      signal,
    }),
  );
  if (!run.ok) return run;
  const { code, output } = run.value;
  const problems = buildProblems(output, { root: project.root, project: `res://${file}` });
  if (code !== 0 && !problems.some(({ severity }) => severity === "error"))
    return unsupported(
      `dotnet build ended with ${code === null ? "no code" : `code ${code}`} and named no error.`,
      `Run dotnet build ${file} in the project's folder. It needs the .NET SDK that the project names.`,
      { output: output.slice(-20) },
    );
  return ok({ problems, isCut: output.length >= KEPT_LINES });
}

/** The one that Godot builds. Its SDK keeps what is built out of the project's files; another one's would not. */
async function projectFile(project: Project): Promise<string | undefined> {
  const files: string[] = [];
  for (const name of await readdir(project.root)) {
    if (!name.endsWith(".csproj")) continue;
    if ((await project.textOf(`res://${name}`))?.includes("Godot.NET.Sdk")) files.push(name);
  }
  const settings = await project.textOf("res://project.godot");
  const named = /^project\/assembly_name="(.*)"$/m.exec(settings ?? "")?.[1];
  return files.find((name) => name === `${named}.csproj`) ?? (files.length === 1 ? files[0] : undefined);
}

async function findDotNet(env: Environment): Promise<string | undefined> {
  const name = process.platform === "win32" ? "dotnet.exe" : "dotnet";
  const folders = [...(env.DOTNET_ROOT ? [env.DOTNET_ROOT] : []), ...searchFolders(env)];
  for (const folder of folders) if (await isExecutable(join(folder, name))) return join(folder, name);
  return undefined;
}

function unsupported(message: string, suggestedFix: string, details?: { output: readonly string[] }) {
  return errors.fail("E_UNSUPPORTED", message, {
    suggestedFix,
    fixBy: "operator",
    ...(details !== undefined && { details }),
  });
}
