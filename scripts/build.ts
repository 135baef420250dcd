import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { bundle } from "./bundle.ts";
import { type Package, packages } from "./packages.ts";
import { run } from "./run.ts";

/** Builds every package that is published: libraries by the compiler, commands into bundles. */
export async function build(): Promise<void> {
  for (const pkg of packages().filter(({ isPrivate }) => !isPrivate)) {
    await rm(join(pkg.folder, "dist"), { recursive: true, force: true });
    await compile(pkg);
    await buildCommand(pkg);
  }
}

async function compile({ name, folder }: Package): Promise<void> {
  if (!existsSync(join(folder, "tsconfig.build.json"))) return;
  const compiled = await run("tsc", ["-p", "tsconfig.build.json"], folder);
  if (!compiled.ok) throw new Error(`${name} does not build:\n${compiled.output}`);
}

/** A package's command, from sources, with all that it imports. */
export async function buildCommand({ folder, bins }: Package): Promise<void> {
  if (bins.length === 0) return;
  await bundle({ entries: { cli: join(folder, "src/main.ts") }, outdir: join(folder, "dist") });
}

if (import.meta.main) {
  await build();
  console.log("Built every package into its dist folder.");
}
