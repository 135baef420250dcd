import { ok } from "@toolpact/contract/outcome";
import type { Framework } from "./frameworks.ts";

/** https://github.com/godot-gdunit-labs/gdUnit4, by `src/core/runners/GdUnitTestCIRunner.gd`. */
export const gdUnit4: Framework = {
  addon: "res://addons/gdUnit4/",
  script: "addons/gdUnit4/bin/GdUnitCmdTool.gd",
  // Whatever extends its class is a suite, and whatever begins with test a test of it.
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
      // It takes an absolute path for one inside the project; `user://` lies in the home of the run.
      ...["-rd", "user://reports", "-rc", "1"],
      ...files.flatMap((file) => ["-a", file]),
      // It can leave tests out by name, not choose one.
      ...known.flatMap((each) =>
        test === undefined || each.test === test ? [] : ["-i", `${each.file}:${each.test}`],
      ),
    ];
    return ok({ args, isChosenByProject: false });
  },
};
