import { existsSync } from "node:fs";
import { join } from "node:path";
import type { FoundTest } from "./find-tests.ts";

export const FRAMEWORK_NAMES = ["own", "gut", "gdunit4"] as const;
export type FrameworkName = (typeof FRAMEWORK_NAMES)[number];

/** A framework that a project has as an addon, by its command line. */
export interface Framework {
  /** Its command line, inside the project. */
  readonly script: string;
  readonly isTestFile: RegExp;
  /** `report` is an absolute path that the caller reads afterwards. */
  args(run: FrameworkRun): string[];
}

export interface FrameworkRun {
  readonly files: readonly string[];
  /** Undefined for every test of the files. */
  readonly test: string | undefined;
  /** Every test of the files, chosen or not. */
  readonly known: readonly FoundTest[];
  /** True where the project's own configuration says what to run. */
  readonly whole: boolean;
  readonly report: string;
}

export const FRAMEWORKS: Readonly<Record<Exclude<FrameworkName, "own">, Framework>> = {
  gdunit4: {
    script: "addons/gdUnit4/bin/GdUnitCmdTool.gd",
    isTestFile: /(?:^|\/)(?:[^/]*_test|[^/]*Test|test_[^/]*)\.gd$/,
    args: ({ files, test, known }) => [
      "--ignoreHeadlessMode",
      "-c",
      // It takes an absolute path for one inside the project; `user://` lies in the home that the run is given.
      ...["-rd", "user://reports", "-rc", "1"],
      ...files.flatMap((file) => ["-a", file]),
      // It can leave tests out by name, not choose one.
      ...known.flatMap((each) =>
        test === undefined || each.test === test ? [] : ["-i", `${each.file}:${each.test}`],
      ),
    ],
  },
  gut: {
    script: "addons/gut/gut_cmdln.gd",
    isTestFile: /(?:^|\/)test_[^/]*\.gd$/,
    args: ({ files, test, whole, report }) => [
      "-gexit",
      "-gdisable_colors",
      `-gjunit_xml_file=${report}`,
      // What its configuration names would run beside the files that were asked for.
      ...(whole ? [] : ["-gconfig=", `-gtest=${files.join(",")}`]),
      ...(test === undefined ? [] : [`-gunit_test_name=${test}`]),
    ],
  },
};

/** The one whose addon the project has, or our own. */
export function frameworkOf(project: string): FrameworkName {
  const found = (["gdunit4", "gut"] as const).find((name) => hasFramework(project, name));
  return found ?? "own";
}

export function hasFramework(project: string, name: keyof typeof FRAMEWORKS): boolean {
  return existsSync(join(project, FRAMEWORKS[name].script));
}
