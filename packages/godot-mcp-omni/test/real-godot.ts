import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * The Godot that tests run on: `GODOT_PATH`, else one fetched once into the user's cache.
 * Undefined when neither can be had; then the reason has been said loudly. On CI its absence is a failure.
 */
export const realGodot: string | undefined = await findRealGodot();

async function findRealGodot(): Promise<string | undefined> {
  const named = process.env.GODOT_PATH;
  if (named) return named;
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const fetched = await run(join(import.meta.dirname, "../scripts/get-godot.sh"), [
    "--dest",
    join(cache, "toolpact/godot"),
  ]);
  if (fetched.code === 0) return fetched.stdout.trim().split("\n").at(-1);
  const reason = `No real Godot for these tests: GODOT_PATH is unset and fetching one failed.\n${fetched.stderr}`;
  if (process.env.CI === "true") throw new Error(reason);
  console.warn(`\n!!! SKIPPED: ${reason}`);
  return undefined;
}

function run(command: string, args: readonly string[]) {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = spawn("bash", [command, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("error", (cause) => resolve({ code: null, stdout, stderr: String(cause) }));
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}
