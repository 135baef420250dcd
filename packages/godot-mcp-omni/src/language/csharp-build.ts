import { readdir } from "node:fs/promises";
import { join, posix } from "node:path";
import type { Clock } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import { type GodotBinary, isExecutable, searchFolders } from "../godot/binary.ts";
import { cacheFolder, dotnetEnvironment, type Environment } from "../godot/environment.ts";
import { runProcess } from "../godot/process.ts";
import type { Project } from "../project/project.ts";

interface CSharpBuildOptions {
  readonly project: Project;
  /** The Godot that the project may be opened with: a build runs code that the project's files name. */
  readonly binary: GodotBinary;
  readonly env: Environment;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface CSharpBuild {
  readonly problems: readonly BuildProblem[];
  /** The output exceeded the limit, and its first lines are lost. */
  readonly isCut: boolean;
}

/** Below the time limit of a call, so the answer can name the slow part. */
const BUILD_MS = 240_000;

/** A build of a large project has many warnings, and its errors may precede them. */
const KEPT_LINES = 4_000;

const SWITCHES = [
  ...["-c", "Debug", "-nologo", "-verbosity:quiet", "-consoleLoggerParameters:NoSummary"],
  // Otherwise processes kept for the next build hold the output open, and outlive this server.
  ...["-nodeReuse:false", "-p:UseSharedCompilation=false"],
];

/** Builds the C# of a project like Godot, into `.godot/mono/temp`, and returns the compiler's messages. */
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
  // Two concurrent builds would overwrite each other's files.
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

/** The project file that Godot builds. Its SDK keeps build output apart from the project's files; others do not. */
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

interface BuildProblem {
  readonly path: string;
  /** 0 if the build names no line. */
  readonly line: number;
  readonly severity: "error" | "warning";
  readonly message: string;
}

interface BuildPlace {
  /** The project's folder, the base of relative names. */
  readonly root: string;
  /** The file for problems without one, such as `res://Game.csproj`. */
  readonly project: string;
}

/** `error CS1002: text`, as MSBuild documents it: the category, an optional code, a colon and the text. */
const CATEGORY = /(?:^|[:\s])(error|warning)(?: {1,2}([A-Za-z]{1,20}\d{1,10}))? ?: *(.*)$/i;
/** `(line)`, `(line,column)`, `(line-line)`, `(line,column-column)` or `(line,column,line,column)`. */
const POSITION = /\((\d{1,9})[\d,-]*\)$/;

/** The distinct errors and warnings in the output of `dotnet build`, errors first. Other lines are left out. */
export function buildProblems(lines: readonly string[], place: BuildPlace): readonly BuildProblem[] {
  const found = lines.map((line) => problemIn(line.trim(), place)).filter((each) => each !== undefined);
  const once = [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
  return [...once.filter(isError), ...once.filter((each) => !isError(each))];
}

function isError({ severity }: BuildProblem): boolean {
  return severity === "error";
}

function problemIn(line: string, place: BuildPlace): BuildProblem | undefined {
  const matched = CATEGORY.exec(line);
  if (matched === null) return undefined;
  const [start, category = "", code, rest = ""] = matched;
  const before = line.slice(0, line.length - start.length + (start.startsWith(":") ? 1 : 0)).trim();
  // `Csc : fatal error CS1: text` has a subcategory, in which no colon is allowed. Without a colon it is prose.
  const colon = before.lastIndexOf(":");
  if (before !== "" && colon <= 0) return undefined;
  // A build on several processors numbers its lines: `1>Main.cs(1,2)`.
  const origin = before.slice(0, Math.max(colon, 0)).trim().replace(/^\d+>/, "");
  const said = withoutProject(rest);
  const text = code === undefined ? said : `${code}: ${said}`;
  const severity = category.toLowerCase() === "error" ? ("error" as const) : ("warning" as const);
  const position = POSITION.exec(origin);
  const file = origin.slice(0, position?.index ?? origin.length).replaceAll("\\", "/");
  const isFile = file !== "" && (position !== null || file.includes("/"));
  const path = isFile ? resPath(file, place.root) : undefined;
  if (path !== undefined) return { path, line: Number(position?.[1] ?? 0), severity, message: text };
  // A tool, such as CSC, or a file outside the project, such as one of the SDK.
  const of = file.includes("/") ? `${posix.basename(file)}: ` : "";
  return { path: place.project, line: 0, severity, message: `${of}${text}` };
}

/** MSBuild appends the built project: ` [/game/Game.csproj]` or ` [/game/Game.csproj::TargetFramework=net8.0]`. */
function withoutProject(text: string): string {
  const at = text.lastIndexOf(" [");
  return text.endsWith("]") && text.includes("proj", at) && at >= 0 ? text.slice(0, at).trimEnd() : text;
}

function resPath(file: string, root: string): string | undefined {
  const folder = root.replaceAll("\\", "/");
  const whole = posix.normalize(/^(?:[A-Za-z]:)?\//.test(file) ? file : `${folder}/${file}`);
  const isWindows = /^[A-Za-z]:/.test(folder);
  const fold = (name: string) => (isWindows ? name.toLowerCase() : name);
  if (!fold(whole).startsWith(fold(`${folder}/`))) return undefined;
  return `res://${whole.slice(folder.length + 1)}`;
}
