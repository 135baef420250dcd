import { main } from "@toolpact/cli";
import { program } from "./command/program.ts";

// What stands behind `--` is the command line of a server, with words and options of its own.
const end = process.argv[2] === "gate" ? process.argv.indexOf("--") : -1;
const [, ...server] = end === -1 ? [] : process.argv.splice(end);

await main(program, { server });
