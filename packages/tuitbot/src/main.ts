import { enableCompileCache } from "node:module";

// Before anything else is loaded, so that all of it comes from the cache on the second start.
enableCompileCache();
const { start } = await import("./cli/start.ts");
await start();
