import { buildCommand } from "./build.ts";
import { endWithParent } from "./end-with-parent.ts";
import { packages } from "./packages.ts";
import { runShown } from "./run.ts";

endWithParent();
// The product as its users get it: bundled, on a sandbox of X that needs no account.
const tuitbot = packages().find(({ name }) => name === "tuitbot");
if (tuitbot === undefined) throw new Error("packages/tuitbot is missing.");
process.stderr.write("Building tuitbot, which takes some seconds.\n");
await buildCommand(tuitbot);
const serve = ["mcp", "serve", "--sandbox", "--http", ...process.argv.slice(2)];
process.exitCode = await runShown("node", [`${tuitbot.folder}/bin/tuitbot.js`, ...serve]);
