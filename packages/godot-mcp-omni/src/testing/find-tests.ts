import { statSync } from "node:fs";
import type { Failure } from "@toolpact/contract";
import { type Outcome, ok } from "@toolpact/contract/outcome";
import { errors, type GodotCode } from "../errors.ts";
import { unknown } from "../files/node-names.ts";
import type { Project } from "../files/project.ts";
import type { ProjectPath } from "../safety/project-path.ts";
import { BaseScripts, EXTENDS } from "./base-scripts.ts";

/** A test that can be run, as its script's text tells. */
export interface FoundTest {
  /** `res://….gd` */
  readonly file: string;
  readonly test: string;
  readonly line: number;
}

export interface TestChoice {
  /** A script or a folder; the whole project unless set. */
  readonly path?: string | undefined;
  readonly test?: string | undefined;
}

export interface FoundTests {
  readonly chosen: readonly FoundTest[];
  /** The chosen ones and the others of their files. */
  readonly known: readonly FoundTest[];
  /** Scripts that are named like tests and hold none. */
  readonly empty: readonly string[];
}

type Found<T> = Outcome<T, Failure<GodotCode>>;

const TEST_FILE = /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.gd$/;

/**
 * `test_*` functions in scripts that are named like tests and in the scripts they extend, addons left out; in a script
 * that is named, all.
 */
export async function findTests(
  project: Project,
  { path, test }: TestChoice,
  isTestFile = TEST_FILE,
): Promise<Found<FoundTests>> {
  const files = await testFiles(project, path, isTestFile);
  if (!files.ok) return files;
  const found: FoundTest[] = [];
  const empty: string[] = [];
  const bases = new BaseScripts(project);
  for (const file of files.value) {
    const read = await project.textAt(file);
    if (!read.ok) return read;
    const { text } = read.value;
    const inherited = inheritedTests(text, file.res, await bases.of(file, text));
    const tests = [...testsOf(text, file.res), ...inherited];
    if (tests.length === 0) empty.push(file.res);
    found.push(...tests);
  }
  const names = found.map((each) => each.test);
  if (test !== undefined && !names.includes(test))
    return unknown(
      "E_NOT_FOUND",
      `There is no test ${test.slice(0, 80)} in ${path ?? "the project"}.`,
      test,
      names,
    );
  const chosen = test === undefined ? found : found.filter((each) => each.test === test);
  const inFiles = new Set(chosen.map((each) => each.file));
  return ok({ chosen, known: found.filter((each) => inFiles.has(each.file)), empty });
}

export function testsOf(source: string, file: string): FoundTest[] {
  return source.split("\n").flatMap((text, index) => {
    const test = /^(?:@\w+(?:\([^)]*\))?\s+)*(?:static\s+)?func\s+(test_\w+)\s*\(/.exec(text)?.[1];
    return test === undefined ? [] : [{ file, test, line: index + 1 }];
  });
}

/** What it inherits is found at the line that says what it extends. */
function inheritedTests(source: string, file: string, bases: readonly string[]): FoundTest[] {
  const line = source.slice(0, EXTENDS.exec(source)?.index).split("\n").length;
  const own = new Set(testsOf(source, file).map(({ test }) => test));
  const names = new Set(bases.flatMap((base) => testsOf(base, file)).map(({ test }) => test));
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
  for await (const file of project.files(place.value))
    if (isTestFile.test(file.res) && !file.res.startsWith("res://addons/")) files.push(file);
  return ok(files);
}
