import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { run } from "../run.ts";
import type { RealClient } from "./client-table.ts";

/**
 * Installs a client into a cache folder and returns its program, or the reason for failure. Clients are
 * large and not dependencies of this repository.
 */
export async function installClient(
  { id, npm, bin }: RealClient,
  version: string,
): Promise<{ readonly program: string } | string> {
  const installed = await installPackages(`${id}-${version}`, [`${npm}@${version}`]);
  return typeof installed === "string"
    ? installed
    : { program: join(installed.folder, "node_modules", ".bin", bin) };
}

/** Installs packages into a cache folder of this name, unless they are there. */
export async function installPackages(
  name: string,
  wanted: readonly string[],
): Promise<{ readonly folder: string } | string> {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const folder = join(cache, "toolpact", "clients", name);
  const done = join(folder, "package-lock.json");
  if (existsSync(done)) return { folder };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const { ok, output } = await run("npm", ["install", "--no-audit", "--no-fund", ...wanted], folder);
  return ok ? { folder } : `npm cannot install it: ${output.trim().split("\n").at(-1)}`;
}

/** The newest published version, or undefined if the registry does not answer. */
export async function newestVersion({ npm }: RealClient): Promise<string | undefined> {
  const { ok, output } = await run("npm", ["view", npm, "version"]);
  return ok ? output.trim() : undefined;
}
