import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const [first, ...rest] = process.argv.slice(2);
/** Runs of their own, which show what is kept and not how long it takes. */
const [program, args] =
  first === "godot-scenes" || first === "godot-properties"
    ? [`../../godot-mcp-omni/bench/${first}.ts`, rest]
    : ["bench.ts", process.argv.slice(2)];

/** The packages of this workspace run from their sources here, which Node must be told at its start. */
const { status } = spawnSync(
  process.execPath,
  ["--conditions=toolpact-source", fileURLToPath(new URL(program, import.meta.url)), ...args],
  { stdio: "inherit" },
);
process.exitCode = status ?? 1;
