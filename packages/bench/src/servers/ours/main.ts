import { enableCompileCache } from "node:module";

// Enabled before other modules load: the second start takes all of them from the cache.
enableCompileCache();
await (process.argv[2] === "http" ? import("./serve-http.ts") : import("./serve-stdio.ts"));
