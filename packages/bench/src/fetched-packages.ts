import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../../../scripts/run.ts";

/** Too large for every `npm install`: more than 100 MB each. */
interface FetchedPackages {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const CACHE = fileURLToPath(new URL("../../../node_modules/.cache/toolpact-bench", import.meta.url));

export function fetchedFolder({ name, version }: FetchedPackages): string {
  return join(CACHE, `${name}-${version}`);
}

export function isFetched(packages: FetchedPackages): boolean {
  return existsSync(join(fetchedFolder(packages), "installed"));
}

/** Returns the reason if it fails. */
export async function fetchPackages(packages: FetchedPackages): Promise<string | undefined> {
  if (isFetched(packages)) return undefined;
  const { name, dependencies, devDependencies = {} } = packages;
  const folder = fetchedFolder(packages);
  for (const made of [join(CACHE, ".."), CACHE, folder]) if (!existsSync(made)) await mkdir(made);
  const own = { name: `bench-${name}`, version: "1.0.0", private: true, type: "module" };
  await writeFile(join(folder, "package.json"), JSON.stringify({ ...own, dependencies, devDependencies }));
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"];
  const installed = await run("npm", ["install", ...flags], folder);
  if (!installed.ok) return `${name} cannot be fetched: ${installed.output.trim().split("\n").at(-1)}`;
  await writeFile(join(folder, "installed"), "");
  return undefined;
}
