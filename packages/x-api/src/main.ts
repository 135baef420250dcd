import { readFile } from "node:fs/promises";
import { main } from "@toolpact/cli";
import { program } from "./cli/program.ts";

await main(program, { readFile: (path) => readFile(path, "utf8") });
