import { posix } from "node:path";

export interface BuildProblem {
  readonly path: string;
  /** 0 where the build names no line. */
  readonly line: number;
  readonly severity: "error" | "warning";
  readonly message: string;
}

export interface BuildPlace {
  /** The project's folder, which relative names are of. */
  readonly root: string;
  /** What has the problems of no file, such as `res://Game.csproj`. */
  readonly project: string;
}

/** `error CS1002: text`, as MSBuild documents it: the category, a code that tasks may leave out, a colon and the text. */
const CATEGORY = /(?:^|[:\s])(error|warning)(?: {1,2}([A-Za-z]{1,20}\d{1,10}))? ?: *(.*)$/i;
/** `(line)`, `(line,column)`, `(line-line)`, `(line,column-column)` or `(line,column,line,column)`. */
const POSITION = /\((\d{1,9})[\d,-]*\)$/;

/** The errors and warnings in what `dotnet build` wrote, each once, the errors first. Lines of another format are left out. */
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
  // A tool, such as CSC, or a file outside of the project, such as one of the SDK.
  const of = file.includes("/") ? `${posix.basename(file)}: ` : "";
  return { path: place.project, line: 0, severity, message: `${of}${text}` };
}

/** MSBuild adds the project that was built: ` [/game/Game.csproj]` or ` [/game/Game.csproj::TargetFramework=net8.0]`. */
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
