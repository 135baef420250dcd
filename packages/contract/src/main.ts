import { main } from "@toolpact/cli";
import { program } from "./command/program.ts";

await main(program, {});
