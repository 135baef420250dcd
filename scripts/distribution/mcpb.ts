import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { packExtension } from "@anthropic-ai/mcpb";
import type { Package } from "../packages.ts";
import { stagePackage } from "./pack.ts";
import type { Publisher } from "./publisher.ts";

/** Packs a built server as a bundle that desktop clients install with a click. */
export async function packBundle(
  pkg: Package,
  publisher: Publisher | undefined,
  outdir: string,
): Promise<string> {
  const folder = await stagePackage(pkg, publisher, join(outdir, "staged", `${pkg.name}.mcpb`));
  copyFileSync(join(pkg.folder, "mcpb/manifest.json"), join(folder, "manifest.json"));
  const file = join(outdir, `${pkg.name}-${pkg.version}.mcpb`);
  if (!(await packExtension({ extensionPath: folder, outputPath: file, silent: true })))
    throw new Error(`${pkg.name} cannot be packed as a bundle.`);
  return file;
}
