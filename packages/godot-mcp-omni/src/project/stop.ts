import { lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { hasState, stateFolder } from "./state-folder.ts";

/** A person's order that nothing in the project is changed by an agent until they resume. */
export interface StopOrder {
  /** When, in ISO 8601; undefined where the file does not say. */
  readonly at: string | undefined;
  readonly by: "dock" | "command" | "someone";
}

/**
 * The order that is in force. It is a file in the state folder, so that it holds for every server of the project,
 * connected to an editor or not, and after a restart of either. Whatever lies in its place counts: in doubt nothing
 * changes.
 */
export function stopOf(root: string): StopOrder | undefined {
  const file = placeIn(root);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  return found.isFile() && found.size < MAX_BYTES ? readStop(file) : { at: undefined, by: "someone" };
}

export async function stopChanges(root: string, now: number): Promise<StopOrder> {
  await stateFolder(root);
  writeFileSync(placeIn(root), JSON.stringify({ at: now, by: "command" }));
  return { at: new Date(now).toISOString(), by: "command" };
}

/** Whether there was an order to take back. */
export function resumeChanges(root: string): boolean {
  const had = hasState(root) && stopOf(root) !== undefined;
  if (had) rmSync(placeIn(root), { recursive: true, force: true });
  return had;
}

const MAX_BYTES = 1_000;

function readStop(file: string): StopOrder {
  try {
    const { at, by } = Object(JSON.parse(readFileSync(file, "utf8")));
    const time = typeof at === "number" ? new Date(at) : undefined;
    return {
      at: time === undefined || Number.isNaN(time.getTime()) ? undefined : time.toISOString(),
      by: by === "dock" || by === "command" ? by : "someone",
    };
  } catch {
    return { at: undefined, by: "someone" };
  }
}

/** The addon knows the same path: `stop.gd`. */
function placeIn(root: string): string {
  return path.join(root, ".godot_mcp", "stopped.json");
}
