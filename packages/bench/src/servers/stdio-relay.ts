import { spawn } from "node:child_process";
import { fdatasyncSync, openSync, writeSync } from "node:fs";
import type { Readable } from "node:stream";

/**
 * The floor of a process in front of a stdio server: it passes bytes on and reads none of them. With a file it first
 * writes the bytes of the client to it and waits for the disk, as a receipt needs.
 */
const [server = "", file] = process.argv.slice(2);
const child = spawn(process.execPath, [server], { stdio: ["pipe", "pipe", "inherit"] });
const durable = file === undefined ? undefined : openSync(file, "w");
/** A database does not let its log grow without end, and overwriting costs less than growing. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
let at = 0;

pass(process.stdin, (chunk) => {
  if (durable !== undefined) {
    at = at + chunk.length > MAX_FILE_BYTES ? 0 : at;
    at += writeSync(durable, chunk, 0, chunk.length, at);
    fdatasyncSync(durable);
  }
  child.stdin.write(chunk);
});
pass(child.stdout, (chunk) => process.stdout.write(chunk));
process.stdin.on("end", () => child.kill());
child.on("exit", () => process.exit());

function pass(from: Readable, to: (chunk: Buffer) => void): void {
  from.on("data", to);
}
