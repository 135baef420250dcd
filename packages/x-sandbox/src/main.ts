import { main } from "@toolpact/cli";
import { program } from "./cli/program.ts";

await main(program, { now: Date.now });
