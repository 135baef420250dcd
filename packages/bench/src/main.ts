import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The packages of this workspace run from their sources here, which Node must be told at its start. */
const { status } = spawnSync(
  process.execPath,
  [
    "--conditions=toolpact-source",
    fileURLToPath(new URL("bench.ts", import.meta.url)),
    ...process.argv.slice(2),
  ],
  { stdio: "inherit" },
);
process.exitCode = status ?? 1;
