import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type Result } from "../errors.ts";
import type { FoundTest, TestKind } from "./find-tests.ts";

export const FRAMEWORK_NAMES = ["own", "gut", "gdunit4"] as const;
export type FrameworkName = (typeof FRAMEWORK_NAMES)[number];

/** A test framework installed as an addon, run by its command line. */
export interface Framework extends TestKind {
  /** Folder of its scripts. */
  readonly addon: string;
  /** Its command line, inside the project. */
  readonly script: string;
  /** The class that its tests extend. */
  readonly baseClass: string;
  /** Exit codes that do not mean a failed test. */
  readonly fineExits: readonly number[];
  /** The exit code that means a failed test. */
  readonly failedExit: number;
  /** Why it ended without a report, by its exit code. */
  readonly exits: Readonly<Record<number, string>>;
  /** Its command-line arguments; files that it reads go into the folder of the run. */
  command(run: FrameworkRun): Promise<Result<FrameworkCommand>>;
}

interface FrameworkCommand {
  readonly args: readonly string[];
  /** Whether the project's own configuration chooses the files. */
  readonly isChosenByProject: boolean;
}

interface FrameworkRun {
  /** Real path of the project's folder. */
  readonly project: string;
  /** An empty folder that is read and deleted after the run. Its `home` is the home folder of the run. */
  readonly folder: string;
  readonly files: readonly string[];
  /** Undefined for every test of the files. */
  readonly test: string | undefined;
  /** Every test of the files, chosen or not. */
  readonly known: readonly FoundTest[];
  /** True if the caller named no file or folder, and the project's own configuration may choose. */
  readonly whole: boolean;
}

/** https://github.com/godot-gdunit-labs/gdUnit4, from `src/core/runners/GdUnitTestCIRunner.gd`. */
const gdUnit4: Framework = {
  addon: "res://addons/gdUnit4/",
  script: "addons/gdUnit4/bin/GdUnitCmdTool.gd",
  // Every class that extends its base class is a suite, and every function whose name begins with test is a test.
  isTestFile: /\.gd$/,
  testPrefix: "test",
  baseClass: "GdUnitTestSuite",
  // The second one is a warning about nodes that were not freed.
  fineExits: [0, 101],
  failedExit: 100,
  exits: {
    0: "it found no tests",
    100: "tests failed, but it names none, or it does not know an option",
    103: "it refuses to run headless, so it is too old",
    104: "it does not run on this Godot",
    105: "a script of the tests has an error",
  },
  async command({ files, test, known }) {
    const args = [
      "--ignoreHeadlessMode",
      "-c",
      // It treats an absolute path as one inside the project; `user://` is in the home folder of the run.
      ...["-rd", "user://reports", "-rc", "1"],
      ...files.flatMap((file) => ["-a", file]),
      // It can exclude tests by name, but not select one.
      ...known.flatMap((each) =>
        test === undefined || each.test === test ? [] : ["-i", `${each.file}:${each.test}`],
      ),
    ];
    return ok({ args, isChosenByProject: false });
  },
};

/** https://github.com/bitwes/Gut, from `addons/gut/cli/gut_cli.gd` and `gut_config.gd`. */
const gut: Framework = {
  addon: "res://addons/gut/",
  script: "addons/gut/gut_cmdln.gd",
  isTestFile: /(?:^|\/)test_[^/]*\.gd$/,
  testPrefix: "test_",
  innerClassPrefix: "Test",
  baseClass: "GutTest",
  fineExits: [0],
  failedExit: 1,
  exits: { 1: "it refused to begin" },
  /** Uses a configuration file, because an option cannot contain a comma or an equals sign and a path may. */
  async command({ project, folder, files, test, whole }) {
    const own = await configurationOf(project);
    if (!own.ok) return own;
    const { dirs, tests } = own.value;
    const isChosenByProject = whole && test === undefined && dirs.length + tests.length > 0;
    const configuration = {
      ...own.value,
      ...(isChosenByProject ? {} : { dirs: [], tests: files }),
      selected: "",
      inner_class: "",
      // Selects tests whose names contain it; the caller drops the others.
      unit_test_name: test ?? "",
      should_exit: true,
      disable_colors: true,
      junit_xml_file: join(folder, "report.xml"),
      junit_xml_timestamp: false,
    };
    const file = join(folder, "gutconfig.json");
    await writeFile(file, JSON.stringify(configuration));
    return ok({ args: [`-gconfig=${file}`], isChosenByProject });
  },
};

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

const configurationFile = z.looseObject({
  dirs: z
    .array(z.string())
    .nullish()
    .transform((dirs) => dirs ?? []),
  tests: z
    .array(z.string())
    .nullish()
    .transform((tests) => tests ?? []),
});

type Configuration = z.infer<typeof configurationFile>;

async function configurationOf(project: string): Promise<Result<Configuration, "E_SCHEMA_VALIDATION">> {
  const file = join(project, ".gutconfig.json");
  if (!existsSync(file)) return ok({ dirs: [], tests: [] });
  const read = configurationFile.safeParse(parseJson(await readFile(file, "utf8")));
  if (read.success) return ok(read.data);
  return errors.fail("E_SCHEMA_VALIDATION", "res://.gutconfig.json is no configuration of GUT.", {
    suggestedFix: "Fix its JSON: dirs and tests are lists of res://… paths.",
  });
}
