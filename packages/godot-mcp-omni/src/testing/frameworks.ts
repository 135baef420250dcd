import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../errors.ts";
import type { FoundTest, TestKind } from "./find-tests.ts";
import { gdUnit4 } from "./gdunit4.ts";
import { gut } from "./gut.ts";

export const FRAMEWORK_NAMES = ["own", "gut", "gdunit4"] as const;
export type FrameworkName = (typeof FRAMEWORK_NAMES)[number];

/** A test framework that is installed as an addon, run by its command line. */
export interface Framework extends TestKind {
  /** Where its scripts are. */
  readonly addon: string;
  /** Its command line, inside the project. */
  readonly script: string;
  /** The class that its tests extend. */
  readonly baseClass: string;
  /** Exit codes that do not mean a failed test. */
  readonly fineExits: readonly number[];
  /** Why it ended without a report, by its exit code. */
  readonly exits: Readonly<Record<number, string>>;
  /** Its command-line arguments; files that it reads go into the folder of the run. */
  command(run: FrameworkRun): Promise<Result<FrameworkCommand>>;
}

export interface FrameworkCommand {
  readonly args: readonly string[];
  /** Whether the project's own configuration chooses the files. */
  readonly isChosenByProject: boolean;
}

export interface FrameworkRun {
  /** Real path of the project's folder. */
  readonly project: string;
  /** An empty folder that is read and deleted after the run. Its `home` is the home folder of the run. */
  readonly folder: string;
  readonly files: readonly string[];
  /** Undefined for every test of the files. */
  readonly test: string | undefined;
  /** Every test of the files, chosen or not. */
  readonly known: readonly FoundTest[];
  /** True where the caller named no file or folder, so that the project's own configuration may choose. */
  readonly whole: boolean;
}

export const FRAMEWORKS: Readonly<Record<Exclude<FrameworkName, "own">, Framework>> = {
  gdunit4: gdUnit4,
  gut,
};

/** The framework whose addon the project has, else the built-in one. */
export function frameworkOf(project: string): FrameworkName {
  const found = (["gdunit4", "gut"] as const).find((name) => hasFramework(project, name));
  return found ?? "own";
}

export function hasFramework(project: string, name: keyof typeof FRAMEWORKS): boolean {
  return existsSync(join(project, FRAMEWORKS[name].script));
}
