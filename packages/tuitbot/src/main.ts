import { enableCompileCache } from "node:module";

// First, so the second start loads all imports from the cache.
enableCompileCache();
const [group, command, ...words] = process.argv.slice(2);
if (group === "mcp" && command === "serve") {
  const { preloadServe } = await import("./cli/mcp/preload-serve.ts");
  const preloaded = await preloadServe(words, process.env);
  await preloaded?.due;
}
const { start } = await import("./cli/start.ts");
await start();
