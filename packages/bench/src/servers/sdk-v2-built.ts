import { enableCompileCache } from "node:module";

/** Optimized for a fast start. */
enableCompileCache();
await import("./sdk-v2.ts");
