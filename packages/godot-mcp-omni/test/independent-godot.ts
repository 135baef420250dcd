import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";

/**
 * The places of script errors in a copy of the project, as found by Godot processes that have nothing to do with the
 * server: an editor that lists the classes, then a game that loads every script.
 */
export async function errorsByGodot(godot: string, root: string): Promise<string[]> {
  const base = mkdtempSync(join(tmpdir(), "godot-oracle-"));
  try {
    const copy = join(base, "project");
    cpSync(root, copy, {
      recursive: true,
      filter: (file) => ![".godot", ".godot_mcp", ".git"].includes(relative(root, file)),
    });
    const run = async (...args: readonly string[]) => {
      const options = { env: { PATH: process.env.PATH, HOME: base }, timeout: 120_000 };
      return promisify(execFile)(godot, ["--headless", "--path", copy, ...args], options);
    };
    await run("--editor", "--quit");
    const { stderr } = await run("--script", join(import.meta.dirname, "independent-godot.gd"));
    const found = stderr.matchAll(/SCRIPT ERROR:[^\n]*\n\s*at: GDScript::reload \((res:[^\n]+:[1-9]\d*)\)/g);
    return [...new Set([...found].map(([, place = ""]) => place))].sort();
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
