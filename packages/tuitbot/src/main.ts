import { enableCompileCache } from "node:module";
import { isUsual } from "./cli/mcp/usual-environment.ts";

// Before anything else is loaded, so that all of it comes from the cache on the second start.
enableCompileCache();
const [group, command, ...words] = process.argv.slice(2);
if (group === "mcp" && command === "serve" && isUsual(process.env)) {
  const { openEarly } = await import("./cli/mcp/open.early.ts");
  const early = await openEarly(words, process.env);
  await early?.due;
}
const { start } = await import("./cli/start.ts");
await start();
