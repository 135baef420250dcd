import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";

/**
 * Runs a server and, if the marker file names a tool, exits instead of returning its answer. With `hold TOOL`
 * it only keeps the answer. Writes every call to `MARKER.calls`.
 */
const [marker = "", command = "", ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const tools = new Map<unknown, string>();

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "tools/call") {
      tools.set(id, params.name);
      appendFileSync(`${marker}.calls`, `${params.name}\n`);
    }
    server.stdin.write(`${line}\n`);
  })
  .on("close", () => {
    server.stdin.end();
    // Some servers keep running when stdin ends.
    server.kill();
  });

createInterface({ input: server.stdout }).on("line", (line) => {
  const { id } = JSON.parse(line);
  const order = existsSync(marker) ? readFileSync(marker, "utf8") : "";
  if (order === `hold ${tools.get(id)}`) {
    rmSync(marker);
    return;
  }
  if (order !== "" && tools.get(id) === order) {
    rmSync(marker);
    server.kill("SIGKILL");
    process.exit(1);
  }
  process.stdout.write(`${line}\n`);
});

server.on("exit", () => process.exit(0));
