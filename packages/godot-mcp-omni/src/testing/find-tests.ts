import { statSync } from "node:fs";
import { once } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type Result, unknownName } from "../errors.ts";
import { baseOf, basePath, classNameOf, extendsLine } from "../formats/script-outline.ts";
import { loadClassTable } from "../godot/class-table.ts";
import type { FileCode, Project } from "../project/project.ts";
import type { ProjectPath } from "../project/project-path.ts";

/** A test, as found in the text of its script. */
export interface FoundTest {
  /** `res://….gd` */
  readonly file: string;
  readonly test: string;
  readonly line: number;
  /** The inner class that contains it. */
  readonly innerClass?: string;
}

/** How test scripts are recognized. */
export interface TestKind {
  readonly isTestFile: RegExp;
  readonly testPrefix: string;
  /** Prefix of inner classes that contain tests too; by default none do. */
  readonly innerClassPrefix?: string;
  /** The class it extends; by default any. */
  readonly baseClass?: string;
}

export interface TestChoice {
  /** A script or a folder; default: the whole project. */
  readonly path?: string | undefined;
  readonly test?: string | undefined;
}

export interface FoundTests {
  readonly chosen: readonly FoundTest[];
  /** The chosen tests and the others in their files. */
  readonly known: readonly FoundTest[];
  /** Scripts with a test name but no tests. */
  readonly empty: readonly string[];
}

type Found<T> = Result<T, FileCode>;

const OWN: TestKind = {
  isTestFile: /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.gd$/,
  testPrefix: "test_",
};

/** Tests of an addon belong to its author, unless the caller names its folder. */
const ADDONS = "res://addons/";

/**
 * Finds `test_*` functions in scripts with a test name and in the scripts they extend, except for addons; in a
 * script that the caller names, all of them.
 */
export async function findTests(
  project: Project,
  { path, test }: TestChoice,
  kind: TestKind = OWN,
): Promise<Found<FoundTests>> {
  const files = await testFiles(project, path, kind.isTestFile);
  if (!files.ok) return files;
  const isNamed = path?.endsWith(".gd") ?? false;
  const found: FoundTest[] = [];
  const empty: string[] = [];
  const bases = new BaseScripts(project);
  for (const file of files.value) {
    const read = await project.textAt(file);
    if (!read.ok) return read;
    const { text } = read.value;
    const extended = await bases.of(file, text);
    if (!isNamed && !isKind(kind, extended)) continue;
    const tests = [...testsOf(text, file.res, kind), ...inheritedTests(text, file.res, extended, kind)];
    if (tests.length === 0) empty.push(file.res);
    found.push(...tests);
  }
  const names = found.map((each) => each.test);
  if (test !== undefined && !names.includes(test))
    return unknownName(
      "E_NOT_FOUND",
      `There is no test ${test.slice(0, 80)} in ${path ?? "the project"}.`,
      test,
      names,
    );
  const chosen = test === undefined ? found : found.filter((each) => each.test === test);
  const inFiles = new Set(chosen.map((each) => each.file));
  return ok({ chosen, known: found.filter((each) => inFiles.has(each.file)), empty });
}

function isKind({ baseClass }: TestKind, bases: readonly string[]): boolean {
  if (baseClass === undefined) return true;
  return bases.some((base) => classNameOf(base) === baseClass);
}

const FUNCTION = /^(\s*)(?:@\w+(?:\([^)]*\))?\s+)*(?:static\s+)?func\s+(\w+)\s*\(/;
const CLASS = /^class\s+(\w+)/;

function testsOf(source: string, file: string, { testPrefix, innerClassPrefix }: TestKind): FoundTest[] {
  let inside: string | undefined;
  return source.split("\n").flatMap((text, index) => {
    inside = CLASS.exec(text)?.[1] ?? inside;
    const [, indent, test] = FUNCTION.exec(text) ?? [];
    if (test === undefined || !test.startsWith(testPrefix)) return [];
    const found = { file, test, line: index + 1 };
    if (indent === "") return [found];
    const isTested = innerClassPrefix !== undefined && inside?.startsWith(innerClassPrefix);
    return isTested && inside !== undefined ? [{ ...found, innerClass: inside }] : [];
  });
}

/** Inherited tests are reported at the line of `extends`. */
function inheritedTests(source: string, file: string, bases: readonly string[], kind: TestKind): FoundTest[] {
  const line = extendsLine(source);
  const own = new Set(testsOf(source, file, kind).map(({ test }) => test));
  const outer = bases.flatMap((base) => testsOf(base, file, kind)).filter((test) => !test.innerClass);
  const names = new Set(outer.map(({ test }) => test));
  return [...names].filter((test) => !own.has(test)).map((test) => ({ file, test, line }));
}

async function testFiles(
  project: Project,
  path: string | undefined,
  isTestFile: RegExp,
): Promise<Found<ProjectPath[]>> {
  const place = await project.resolve(path ?? "res://");
  if (!place.ok) return place;
  const found = statSync(place.value.absolute, { throwIfNoEntry: false });
  if (found === undefined) return errors.fail("E_NOT_FOUND", `There is no ${place.value.res}.`);
  if (!found.isDirectory()) {
    if (place.value.res.endsWith(".gd")) return ok([place.value]);
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `${place.value.res} is not a script: name a .gd file or a folder.`,
    );
  }
  const files: ProjectPath[] = [];
  const isInAddon = place.value.res.startsWith(ADDONS);
  for await (const file of project.files(place.value))
    if (isTestFile.test(file.res) && (isInAddon || !file.res.startsWith(ADDONS))) files.push(file);
  return ok(files);
}

/** Reads the scripts that a test script extends. */
class BaseScripts {
  private readonly project: Project;
  /** Read from the scripts themselves, because Godot's own list is missing or stale until it has scanned them. */
  private readonly classNames = once(() => this.readClassNames());

  constructor(project: Project) {
    this.project = project;
  }

  /** The text of each, nearest first. */
  async of(file: ProjectPath, source: string): Promise<readonly string[]> {
    const sources: string[] = [];
    const seen = new Set([file.res]);
    let base = await this.baseOf(file, source);
    while (base !== undefined && !seen.has(base.res)) {
      seen.add(base.res);
      const read = await this.project.textAt(base);
      if (!read.ok) break;
      sources.push(read.value.text);
      base = await this.baseOf(base, read.value.text);
    }
    return sources;
  }

  /** Undefined for a class of the engine, or if it cannot be found. */
  private async baseOf({ res }: ProjectPath, source: string): Promise<ProjectPath | undefined> {
    const base = baseOf(source) ?? "RefCounted";
    const path = basePath(base, res);
    if (path === undefined) {
      if ((await loadClassTable()).has(base)) return undefined;
      return (await this.classNames()).get(base);
    }
    const place = await this.project.resolve(path);
    return place.ok ? place.value : undefined;
  }

  private async readClassNames(): Promise<ReadonlyMap<string, ProjectPath>> {
    const found = new Map<string, ProjectPath>();
    const start = await this.project.resolve("res://");
    if (!start.ok) return found;
    for await (const file of this.project.files(start.value)) {
      if (!file.res.endsWith(".gd")) continue;
      const read = await this.project.textAt(file);
      const name = read.ok ? classNameOf(read.value.text) : undefined;
      if (name !== undefined) found.set(name, file);
    }
    return found;
  }
}
