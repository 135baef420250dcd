import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { writeMadeProjects } from "./made-projects.ts";
import { MODES, runScenes, type SceneMode, sceneTable } from "./scene-run.ts";

const HELP = `Edits every scene of the projects in a folder, in every mode, takes each edit back, and prints what was
refused, what came out with extra lines, and what was not byte for byte as before. Works on copies.

  npm run bench -- godot-scenes [DIR] [options]

  DIR            a project, or a folder with projects; default: small projects made for this, each with one difficulty
  --mode MODE    files, engine or editor (may be given several times); default: files and engine
  --godot PATH   the Godot to use; default: GODOT_PATH, else the one of the tests
  --docs         write the table into docs/godot-scenes.md
  --help         show this`;

const DOCS = new URL("../../../docs/godot-scenes.md", import.meta.url);
const BEGIN = "<!-- Written by `npm run bench -- godot-scenes --docs`; do not edit by hand. -->";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mode: { type: "string", multiple: true, default: ["files", "engine"] },
    godot: { type: "string" },
    docs: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const wrong = values.mode.find((mode) => !MODES.some((known) => known === mode));
if (values.help) console.log(HELP);
else if (wrong !== undefined) {
  console.error(`There is no mode ${wrong}: there are ${MODES.join(", ")}.`);
  process.exitCode = 2;
} else {
  const [given] = positionals;
  const folder = given === undefined ? mkdtempSync(join(tmpdir(), "made-projects-")) : resolve(given);
  if (given === undefined) writeMadeProjects(folder);
  const godot = values.godot ?? (await import("../test/real-godot.ts")).realGodot;
  const modes = MODES.filter((mode): mode is SceneMode => values.mode.includes(mode));
  // Waiting for an editor does not keep the process running by itself.
  const alive = setInterval(() => {}, 60_000);
  const results = await runScenes({ folder, modes, godot, say: (line) => console.error(line) });
  clearInterval(alive);
  const table = sceneTable(results);
  console.log(table);
  if (given === undefined) rmSync(folder, { recursive: true, force: true });
  if (values.docs) {
    const page = readFileSync(DOCS, "utf8");
    writeFileSync(DOCS, `${page.slice(0, page.indexOf(BEGIN))}${BEGIN}\n\n${table}`);
  }
  if (results.some((result) => !result.isIdentical)) process.exitCode = 1;
}
