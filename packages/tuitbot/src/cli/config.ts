import { existsSync } from "node:fs";
import { EXIT } from "@toolpact/cli";
import { ok } from "@toolpact/outcome";
import { configPlace, loadedConfig } from "./context.ts";
import { command } from "./machine.ts";

const show = command({
  name: "show",
  describe: "Print the effective configuration, with secrets masked",
  examples: [
    { line: "tuitbot config show", does: "prints it as TOML" },
    { line: "tuitbot config show --output json", does: "prints it as JSON" },
  ],
  async run(_, context) {
    const loaded = await loadedConfig(context);
    if (!loaded.ok) return loaded;
    const [{ masked }, { stringify }] = await Promise.all([
      import("../config/effective-config.ts"),
      import("smol-toml"),
    ]);
    const { values, file, fromEnvironment } = loaded.value;
    const visible = masked(values);
    const from = [
      `# ${file ?? "no file: these are the defaults"}`,
      ...(fromEnvironment.length > 0 ? [`# set by the environment: ${fromEnvironment.join(", ")}`] : []),
    ];
    return ok({
      text: `${from.join("\n")}\n${stringify(visible)}`,
      json: { file: file ?? null, from_environment: [...fromEnvironment], config: visible },
    });
  },
});

const validate = command({
  name: "validate",
  describe: "Check the configuration and print every problem",
  examples: [{ line: "tuitbot -c my.toml config validate", does: "checks another file" }],
  async run(_, context) {
    const [{ checkAllAccounts }, { configPath }] = await Promise.all([
      import("../config/effective-config.ts"),
      import("../config/load.ts"),
    ]);
    const { path } = configPath(configPlace(context));
    const where = existsSync(path) ? path : `${path} (not there: the defaults are in force)`;
    const { valid, errors, warnings } = await checkAllAccounts(configPlace(context));
    const lines = valid
      ? [`${where}: fine`, ...warnings.map((line) => `  ${line}`)]
      : [
          `${path}: ${errors.length} ${errors.length === 1 ? "problem" : "problems"}`,
          ...errors.map((line) => `  ${line}`),
        ];
    return ok({
      text: lines.join("\n"),
      json: { file: path, valid, errors: [...errors], warnings: [...warnings] },
      ...(!valid && { exitCode: EXIT.failed }),
    });
  },
});

const path = command({
  name: "path",
  describe: "Print the path of the configuration file",
  examples: [{ line: "tuitbot config path", does: "prints the path, even if there is no file" }],
  async run(_, context) {
    const { configPath } = await import("../config/load.ts");
    const found = configPath(configPlace(context));
    return ok({ text: found.path, json: { path: found.path } });
  },
});

const init = command({
  name: "init",
  describe: "Write a configuration file with every key and its default as comments",
  details:
    "Never changes an existing file. `tuitbot init` prompts for the required values and fills them in.",
  examples: [
    { line: "tuitbot config init", does: "writes ~/.tuitbot/config.toml" },
    { line: "tuitbot -c my.toml config init", does: "writes another file" },
  ],
  async run(_, context) {
    const [{ configPath }, { commentedConfig }, { createFile }] = await Promise.all([
      import("../config/load.ts"),
      import("../config/config-file.ts"),
      import("./write-file.ts"),
    ]);
    const { path } = configPath(configPlace(context));
    const created = await createFile(path, commentedConfig());
    if (!created.ok) return created;
    return ok({
      text: `${path} is written, with every key as a comment. Edit it, then run \`tuitbot config validate\`.`,
      json: { file: path, written: true },
    });
  },
});

export const config = {
  name: "config",
  describe: "Write, show and check the configuration",
  examples: [...show.examples, ...init.examples.slice(0, 1)],
  commands: [init, show, validate, path],
};
