import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

export interface BundleOptions {
  /** Name of each file to write, without extension, and the source it starts from. */
  readonly entries: Readonly<Record<string, string>>;
  readonly outdir: string;
  /** Packages are bundled too, unless the app is to import them where they are installed. */
  readonly packages?: "bundle" | "external";
}

/**
 * Bundles apps with all they import into `outdir`, one file per entry and one per lazily imported part: half of
 * what a start costs Node is finding and loading modules.
 *
 * A module named `*.prebuilt.ts` is run now, and what it exports stands in the bundle as JSON.
 */
export async function bundle({ entries, outdir, packages = "bundle" }: BundleOptions): Promise<void> {
  await build({
    ...toNode,
    entryPoints: { ...entries },
    outdir,
    packages,
    splitting: true,
    minify: true,
    sourcemap: "linked",
    sourcesContent: false,
    plugins: [prebuilt],
  });
}

const toNode = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22",
  conditions: ["toolpact-source"],
  logLevel: "warning",
} as const;

const prebuilt: Plugin = {
  name: "prebuilt",
  setup(bundling) {
    bundling.onLoad({ filter: /\.prebuilt\.ts$/ }, async ({ path }) => ({
      contents: Object.entries(await valuesOf(path))
        .map(
          ([name, value]) => `export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(value))});`,
        )
        .join("\n"),
      loader: "js",
    }));
  },
};

/** Bundling the module first lets it run in this process, whose own imports may resolve to built packages. */
async function valuesOf(path: string): Promise<object> {
  const folder = await mkdtemp(join(tmpdir(), "toolpact-prebuilt-"));
  try {
    const outfile = join(folder, "module.mjs");
    await build({ ...toNode, entryPoints: [path], outfile });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}
