// The same write and flush as an edit in files mode, and nothing else: a line with the text comes in, `done` goes out.
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";

const target = process.argv[2];
createInterface(process.stdin).on("line", (line) => {
  const draft = `${target}.draft`;
  const file = openSync(draft, "wx");
  writeSync(file, JSON.parse(line));
  fsyncSync(file);
  closeSync(file);
  renameSync(draft, target);
  process.stdout.write("done\n");
});
