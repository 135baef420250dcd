import { enableCompileCache } from "node:module";

/** The same server on the MCP SDK, optimized for a fast start. */
enableCompileCache();
await import("./sdk-v2.ts");
