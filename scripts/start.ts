import { builtPackage } from "./build.ts";
import { isBuilt } from "./build-stamp.ts";
import { endWithParent } from "./end-with-parent.ts";
import { packageNamed } from "./packages.ts";
import { runShown } from "./run.ts";

endWithParent();
// On a sandbox of X that needs no account.
if (!isBuilt(packageNamed("tuitbot"))) process.stderr.write("Building tuitbot, which takes some seconds.\n");
const tuitbot = await builtPackage("tuitbot");
const given = process.argv.slice(2);
const has = (option: string) => given.some((word) => word === option || word.startsWith(`${option}=`));
const serve = [
  "mcp",
  "serve",
  "--sandbox",
  ...(has("--http") ? [] : ["--http"]),
  // An hour passes in a minute, so posts soon have metrics.
  ...(has("--speed") ? [] : ["--speed", "60"]),
];
process.exitCode = await runShown("node", [`${tuitbot.folder}/bin/tuitbot.js`, ...serve, ...given]);
