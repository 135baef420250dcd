import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Failure, Outcome } from "@toolpact/contract";
import type { GodotCode } from "../errors.ts";
import type { FoundTest, TestKind } from "./find-tests.ts";
import { gdUnit4 } from "./gdunit4.ts";
import { gut } from "./gut.ts";

export const FRAMEWORK_NAMES = ["own", "gut", "gdunit4"] as const;
export type FrameworkName = (typeof FRAMEWORK_NAMES)[number];

/** A framework that a project has as an addon, by its command line. */
export interface Framework extends TestKind {
  /** Where its scripts are. */
  readonly addon: string;
  /** Its command line, inside the project. */
  readonly script: string;
  /** The class that its tests extend. */
  readonly baseClass: string;
  /** Exit codes that tell of no failed test. */
  readonly fineExits: readonly number[];
  /** Why it ended without a report, by its exit code. */
  readonly exits: Readonly<Record<number, string>>;
  /** What its command line is told; files that it takes go into the folder of the run. */
  command(run: FrameworkRun): Promise<Outcome<FrameworkCommand, Failure<GodotCode>>>;
}

export interface FrameworkCommand {
  readonly args: readonly string[];
  /** True where the project's own configuration says which files run. */
  readonly isChosenByProject: boolean;
}

export interface FrameworkRun {
  /** Real path of the project's folder. */
  readonly project: string;
  /** An empty folder that is read and thrown away after the run; its `home` is the run's. */
  readonly folder: string;
  readonly files: readonly string[];
  /** Undefined for every test of the files. */
  readonly test: string | undefined;
  /** Every test of the files, chosen or not. */
  readonly known: readonly FoundTest[];
  /** True where no file or folder was named, so that the project's own configuration may choose. */
  readonly whole: boolean;
}

export const FRAMEWORKS: Readonly<Record<Exclude<FrameworkName, "own">, Framework>> = {
  gdunit4: gdUnit4,
  gut,
};

/** The one whose addon the project has, or our own. */
export function frameworkOf(project: string): FrameworkName {
  const found = (["gdunit4", "gut"] as const).find((name) => hasFramework(project, name));
  return found ?? "own";
}

export function hasFramework(project: string, name: keyof typeof FRAMEWORKS): boolean {
  return existsSync(join(project, FRAMEWORKS[name].script));
}
