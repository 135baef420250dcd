import { enableCompileCache } from "node:module";

// Before anything else is loaded, so that all of it comes from the cache on the second start.
enableCompileCache();
const [group, command, ...words] = process.argv.slice(2);
if (group === "mcp" && command === "serve") {
  const { preloadServe } = await import("./cli/mcp/preload-serve.ts");
  const preloaded = await preloadServe(words, process.env);
  await preloaded?.due;
}
const { start } = await import("./cli/start.ts");
await start();
