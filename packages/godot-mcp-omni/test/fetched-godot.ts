import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export interface WantedGodot {
  /** The environment's variable that may name one. */
  readonly variable: string;
  /** In the user's cache, where it is fetched to once. */
  readonly folder: string;
  /** Its optional parts: `gl`, `xvfb`, `template`. */
  readonly parts: readonly string[];
}

/** Its path. Undefined where none can be had; then the reason has been said loudly. On CI its absence is a failure. */
export async function fetchedGodot({ variable, folder, parts }: WantedGodot): Promise<string | undefined> {
  const named = process.env[variable];
  if (named) return named;
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  try {
    const { stdout } = await promisify(execFile)("bash", [
      join(import.meta.dirname, "../scripts/get-godot.sh"),
      ...["--dest", join(cache, "toolpact", folder)],
      ...parts.flatMap((part) => ["--with", part]),
    ]);
    return stdout.trim().split("\n").at(-1);
  } catch (cause) {
    const reason = `No Godot for these tests: ${variable} is unset and fetching one failed.\n${String(cause)}`;
    if (process.env.CI === "true") throw new Error(reason);
    console.warn(`\n!!! SKIPPED: ${reason}`);
    return undefined;
  }
}
