import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type Result } from "../errors.ts";
import type { Framework } from "./frameworks.ts";

/** https://github.com/bitwes/Gut, by `addons/gut/cli/gut_cli.gd` and `gut_config.gd`. */
export const gut: Framework = {
  addon: "res://addons/gut/",
  script: "addons/gut/gut_cmdln.gd",
  isTestFile: /(?:^|\/)test_[^/]*\.gd$/,
  testPrefix: "test_",
  innerClassPrefix: "Test",
  baseClass: "GutTest",
  fineExits: [0],
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
