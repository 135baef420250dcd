import { runShown } from "./run.ts";

process.exitCode = await runShown("node", [
  "--conditions=toolpact-source",
  "packages/conformance/src/main.ts",
  ...process.argv.slice(2),
]);
