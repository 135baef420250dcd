import { existsSync, globSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import type { Package } from "./packages.ts";
import { run } from "./run.ts";

/** `packages/NAME-web` is built into the command of `packages/NAME`. */
export function pageOf({ folder }: Pick<Package, "folder">): string | undefined {
  const page = `${folder}-web`;
  return existsSync(join(page, "index.html")) ? page : undefined;
}

/** As patterns. */
export function pageSources(page: string): readonly string[] {
  return ["src/**/*", "public/**/*", "*.html", "vite.*.ts", "package.json"].map((pattern) =>
    join(page, pattern),
  );
}

/** Compresses all texts; the server decompresses them for old clients. */
export async function buildPage(page: string, outdir: string): Promise<void> {
  const apps = join(page, "vite.apps.config.ts");
  for (const words of [["--emptyOutDir"], ...(existsSync(apps) ? [["--config", apps]] : [])]) {
    const built = await run("vite", ["build", "--outDir", outdir, ...words], page);
    if (!built.ok) throw new Error(`The page in ${page} does not build:\n${built.output}`);
  }
  for (const file of globSync(join(outdir, "**/*.{html,js,css,svg,webmanifest}"))) {
    const content = await readFile(file);
    const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    await writeFile(`${file}.br`, brotliCompressSync(content, { params: quality }));
    await rm(file);
  }
}
