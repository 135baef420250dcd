import { ok } from "@toolpact/outcome";
import type { Framework } from "./frameworks.ts";

/** https://github.com/godot-gdunit-labs/gdUnit4, by `src/core/runners/GdUnitTestCIRunner.gd`. */
export const gdUnit4: Framework = {
  addon: "res://addons/gdUnit4/",
  script: "addons/gdUnit4/bin/GdUnitCmdTool.gd",
  // Every class that extends its base class is a suite, and every function whose name begins with test is a test.
  isTestFile: /\.gd$/,
  testPrefix: "test",
  baseClass: "GdUnitTestSuite",
  // The second one warns of nodes that were not freed.
  fineExits: [0, 101],
  exits: {
    0: "it found no tests",
    100: "it does not know an option, so it may be too old",
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
