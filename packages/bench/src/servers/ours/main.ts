import { enableCompileCache } from "node:module";

// Before anything else is loaded, so that all of it comes from the cache on the second start.
enableCompileCache();
await (process.argv[2] === "http" ? import("./serve-http.ts") : import("./serve-stdio.ts"));
