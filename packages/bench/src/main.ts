import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const [first, ...rest] = process.argv.slice(2);
const OWN: Readonly<Record<string, string>> = {
  "godot-scenes": "../../godot-mcp-omni/bench/godot-scenes.ts",
  "godot-properties": "../../godot-mcp-omni/bench/godot-properties.ts",
  compare: "compare/main.ts",
  runtimes: "../../contract/test/runtimes/main.ts",
  "web-page": "../../tuitbot-web/test/page-figures.ts",
};
const own = Object.hasOwn(OWN, first ?? "") ? OWN[first ?? ""] : undefined;
const [program, args] = own === undefined ? ["bench.ts", process.argv.slice(2)] : [own, rest];

/** Node accepts this condition only at its start. */
const { status } = spawnSync(
  process.execPath,
  ["--conditions=toolpact-source", fileURLToPath(new URL(program, import.meta.url)), ...args],
  { stdio: "inherit" },
);
process.exitCode = status ?? 1;
