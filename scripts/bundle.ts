import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildOptions, build, type Metafile, type Plugin, transform } from "esbuild";
import { englishOnly, leanSdk } from "../packages/contract/src/build/lean-sdk.ts";

export interface BundleOptions {
  /** By name without extension. */
  readonly entries: Readonly<Record<string, string>>;
  readonly outdir: string;
  /** External packages are imported from where they are installed. */
  readonly packages?: "bundle" | "external";
}

/**
 * Bundles apps, one file per entry and lazy import: finding modules is half of Node's start time. Names are
 * kept for errors, but shortened in third-party code, where they are a quarter of the size.
 *
 * The functions of `prebuilt.ts` run now, and the bundle reads their results as JSON, because compiling 200
 * kB of code takes ten times as long.
 */
export async function bundle({ entries, outdir, packages = "bundle" }: BundleOptions): Promise<Metafile> {
  const { metafile } = await build({
    ...toNode,
    entryPoints: { ...entries },
    outdir,
    packages,
    splitting: true,
    minifySyntax: true,
    minifyWhitespace: true,
    metafile: true,
    plugins: [prebuilt(outdir), leanSdk, englishOnly, shortNames],
  });
  return metafile;
}

/** One file, whose lazy imports only run lazily. */
export async function bundleOneFile(entry: string, outfile: string): Promise<void> {
  await build({
    ...toNode,
    entryPoints: [entry],
    outfile,
    minifySyntax: true,
    minifyWhitespace: true,
    external: [],
    plugins: [prebuilt(), leanSdk, englishOnly, shortNames, notInstalled],
  });
}

const toNode: BuildOptions = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22",
  conditions: ["toolpact-source"],
  logLevel: "warning",
  charset: "utf8",
  // They are in one file next to the bundle.
  legalComments: "none",
  // Installed separately, for telemetry or to build a server.
  external: ["@opentelemetry/*", "esbuild"],
  banner: {
    // Bundled CommonJS requires Node's modules this way; `createRequire` would add 5 ms to every start.
    js: "const require=id=>{const m=process.getBuiltinModule(id);if(m)return m;throw new Error('Not in the bundle: '+id)};",
  },
};

/** Third-party code is most of a bundle. Code that uses its class names keeps them. */
const shortNames: Plugin = {
  name: "short-names",
  setup(bundling) {
    bundling.onLoad({ filter: /\/node_modules\/.*\.m?js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      if (path.includes("/oidc-provider/")) {
        // Its records are stored under class names, which the bundler would drop.
        const { code } = await transform(text, { keepNames: true, target: "node22", loader: "js" });
        return { contents: code, loader: "js" };
      }
      if (/\bconstructor\.name\b/.test(text)) return undefined;
      const { code } = await transform(text, { minifyIdentifiers: true, target: "node22", loader: "js" });
      return { contents: code, loader: "js" };
    });
  },
};

/** An executable has no folder of packages. */
const notInstalled: Plugin = {
  name: "not-installed",
  setup(bundling) {
    bundling.onResolve({ filter: /^@opentelemetry\// }, ({ path }) => ({ path, namespace: "not-installed" }));
    bundling.onLoad({ filter: /./, namespace: "not-installed" }, ({ path }) => ({
      contents: `throw Object.assign(new Error("${path} is not in this executable."), { code: "ERR_MODULE_NOT_FOUND" }); module.exports = {};`,
      loader: "js",
    }));
  },
};

/** Without an output folder, the JSON is part of the bundle. */
function prebuilt(outdir?: string): Plugin {
  return {
    name: "prebuilt",
    setup(bundling) {
      bundling.onLoad({ filter: /\/prebuilt\.ts$/ }, async ({ path }) => {
        const { prebuilt: made } = await valuesOf(path);
        const members = await Promise.all(
          Object.entries(made).map(async ([name, make]) => {
            const json = JSON.stringify(make());
            if (outdir === undefined) return [name, JSON.stringify(json)];
            const file = `prebuilt-${name}.json`;
            await mkdir(outdir, { recursive: true });
            await writeFile(join(outdir, file), json);
            return [name, `readFileSync(new URL(${JSON.stringify(`./${file}`)}, import.meta.url), "utf8")`];
          }),
        );
        return {
          contents: `import { readFileSync } from "node:fs";
export const prebuilt = {${members.map(([name, text]) => `${JSON.stringify(name)}: () => JSON.parse(${text})`).join(",\n")}};`,
          loader: "js",
        };
      });
    },
  };
}

interface PrebuiltModule {
  readonly prebuilt: Readonly<Record<string, () => unknown>>;
}

/** Bundled first, because imports here may resolve to built packages. */
async function valuesOf(path: string): Promise<PrebuiltModule> {
  const folder = await mkdtemp(join(tmpdir(), "toolpact-prebuilt-"));
  try {
    const outfile = join(folder, "module.mjs");
    await build({ ...toNode, entryPoints: [path], outfile });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}
