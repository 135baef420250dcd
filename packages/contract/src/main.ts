import { main } from "@toolpact/cli";
import { program } from "./command/program.ts";

// The words after `--` are the command line of a server, with its own options.
const end = process.argv[2] === "gate" ? process.argv.indexOf("--") : -1;
const [, ...server] = end === -1 ? [] : process.argv.splice(end);

await main(program, { server });
