import { enableCompileCache } from "node:module";

/** The same server of the MCP SDK, as somebody would build it who wants it to start fast. */
enableCompileCache();
await import("./sdk-v2.ts");
