import { main } from "@toolpact/cli";
import { program } from "@toolpact/contract/internal/command";
import packageJson from "../package.json" with { type: "json" };

// The words after `--` are a server's command line, with its own options.
const end = ["gate", "storm"].includes(process.argv[2] ?? "") ? process.argv.indexOf("--") : -1;
const [, ...server] = end === -1 ? [] : process.argv.splice(end);

await main({ ...program, version: `toolpact ${packageJson.version}` }, { server });
