import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * A Godot that can draw, with a virtual display: `GODOT_DISPLAY_PATH`, else one fetched once into the user's cache.
 * Undefined when neither can be had; then the reason has been said loudly. On CI its absence is a failure.
 */
export const displayGodot: string | undefined = await findDisplayGodot();

async function findDisplayGodot(): Promise<string | undefined> {
  const named = process.env.GODOT_DISPLAY_PATH;
  if (named) return named;
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  try {
    const { stdout } = await promisify(execFile)("bash", [
      join(import.meta.dirname, "../scripts/get-godot.sh"),
      ...["--dest", join(cache, "toolpact/godot-display"), "--with", "gl", "--with", "xvfb"],
    ]);
    return stdout.trim().split("\n").at(-1);
  } catch (cause) {
    const reason = `No Godot with a display for these tests: GODOT_DISPLAY_PATH is unset and fetching one failed.\n${String(cause)}`;
    if (process.env.CI === "true") throw new Error(reason);
    console.warn(`\n!!! SKIPPED: ${reason}`);
    return undefined;
  }
}
