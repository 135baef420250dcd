import { enableCompileCache } from "node:module";

// Enabled before anything else is loaded: on the second start everything comes from the cache.
enableCompileCache();
const { localMachine, main } = await import("@toolpact/cli");
const { program } = await import("./cli/program.ts");
await main(program, localMachine());
