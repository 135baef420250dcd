import { readFile } from "node:fs/promises";
import { commandLine } from "./command-line.ts";

// A reader that goes away, such as `head`, is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  process.stderr.write(`x-api: The output cannot be written (${error.code ?? error.message}).\n`);
  process.exit(2);
});

process.exitCode = await commandLine(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
  readFile: (path) => readFile(path, "utf8"),
  // The manifest is one folder up from the source and from the bundle alike.
  version: async () =>
    JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8")).version,
  isColored: process.stdout.isTTY === true && !process.env.NO_COLOR && process.stdout.hasColors(),
});
