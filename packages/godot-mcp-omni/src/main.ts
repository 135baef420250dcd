import { enableCompileCache } from "node:module";

// Enabled before anything else is loaded, so that all of it comes from the cache on the second start.
enableCompileCache();
const { localMachine, main } = await import("@toolpact/cli");
const { program } = await import("./cli/program.ts");
await main(program, localMachine());
