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
  const entry = ["src/main.ts", "src/cli.ts"].map((file) => join(folder, file)).find(existsSync);
  if (entry === undefined) throw new Error(`${folder} has neither src/main.ts nor src/cli.ts.`);
  await bundle({ entries: { cli: entry }, outdir: join(folder, "dist") });
}

if (import.meta.main) {
  await build();
  console.log("Built every package into its dist folder.");
}
