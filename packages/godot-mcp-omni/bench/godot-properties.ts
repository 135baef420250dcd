import { mkdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { writeProject } from "./made-projects.ts";
import { classesToTry, propertyTable, runProperties, verdictOf } from "./property-run.ts";
import { withRunServer } from "./run-server.ts";

const HELP = `Sets every stored property of every class of Godot by files, engine and editor, and prints how often they made the
same file, refused alike, or did not.

  npm run bench -- godot-properties [CLASS…] [options]

  CLASS          only these; default: every class that can be made
  --every-value  every value of each property; default: one
  --godot PATH   the Godot to use; default: GODOT_PATH, else the one of the tests
  --help         show this`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "every-value": { type: "boolean", default: false },
    godot: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(HELP);
else {
  const godot = values.godot ?? (await import("../test/real-godot.ts")).realGodot;
  const classes = positionals.length === 0 ? await classesToTry() : positionals;
  // Waiting for an editor does not keep the process running by itself.
  const alive = setInterval(() => {}, 60_000);
  const write = (root: string) => {
    mkdirSync(root);
    writeProject(root, {});
  };
  const results = await withRunServer({ godot, withEditor: true, write }, (root, call) =>
    runProperties({
      root,
      call,
      classes,
      everyValue: values["every-value"],
      say: (line) => console.error(line),
    }),
  );
  clearInterval(alive);
  const table = propertyTable(results);
  console.log(table);
  if (results.some((result) => verdictOf(result) === "other")) process.exitCode = 1;
}
