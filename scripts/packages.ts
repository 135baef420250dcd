import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Package {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  readonly isPrivate: boolean;
  /** Installed with it, or bundled into its command. */
  readonly dependencies: readonly string[];
  /** Each is shipped as one bundled file. */
  readonly bins: readonly string[];
}

export const root: string = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

/** Dependencies first. */
export function packages(): Package[] {
  const found = readdirSync(join(root, "packages"))
    .filter((name) => existsSync(join(root, "packages", name, "package.json")))
    .map((name) => read(join(root, "packages", name)))
    .map((candidate, _index, all) => ({
      ...candidate,
      dependencies: candidate.dependencies.filter((name) => all.some((other) => other.name === name)),
    }));
  const ordered: Package[] = [];
  const place = (candidate: Package) => {
    if (ordered.includes(candidate)) return;
    for (const other of found) if (candidate.dependencies.includes(other.name)) place(other);
    ordered.push(candidate);
  };
  for (const candidate of found) place(candidate);
  return ordered;
}

export function packageNamed(name: string): Package {
  const found = packages().find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no package ${name}.`);
  return found;
}

export function isLibrary({ folder }: Package): boolean {
  return existsSync(join(folder, "tsconfig.build.json"));
}

function read(folder: string): Package {
  const {
    name,
    version,
    private: isPrivate = false,
    dependencies = {},
    devDependencies = {},
    bin = {},
  } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return {
    name,
    version,
    folder,
    isPrivate,
    dependencies: Object.keys({ ...dependencies, ...devDependencies }).sort(),
    bins: Object.keys(bin),
  };
}
