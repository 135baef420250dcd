import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildOptions, build, type Metafile, type Plugin, transform } from "esbuild";
import { englishOnly } from "../packages/contract/src/build/english-only.ts";
import { leanSdk } from "../packages/contract/src/build/lean-sdk.ts";

export interface BundleOptions {
  /** Name of each file to write, without extension, and the source it starts from. */
  readonly entries: Readonly<Record<string, string>>;
  readonly outdir: string;
  /** Packages are bundled too, unless the app is to import them where they are installed. */
  readonly packages?: "bundle" | "external";
}

/**
 * Bundles apps with all they import, one file per entry and one per part that is imported lazily: half of what a
 * start costs Node is finding and loading modules. Names are kept, because errors show them and a shorter name
 * starts no faster; those in code of others are shortened, because they are a quarter of its size.
 *
 * A module named `*.prebuilt.ts` is run now, and what it exports stands in the bundle as JSON. One named `*.early.ts` that
 * is imported lazily becomes a file that shares no part with the others but what is prebuilt: finding twenty small files
 * takes longer than running what is in them. What the functions of a module named `*.text.ts` return is written out, and
 * read when it is asked for: a text of 200 kB takes ten times as long to load as code. The result says what went into the
 * bundle.
 */
export async function bundle({ entries, outdir, packages = "bundle" }: BundleOptions): Promise<Metafile> {
  const early: Record<string, string> = {};
  const settings = {
    ...toNode,
    outdir,
    packages,
    splitting: true,
    minifySyntax: true,
    minifyWhitespace: true,
    metafile: true,
  } as const;
  const plugins = [prebuilt, texts(outdir), leanSdk, englishOnly, shortNames];
  const whole = await build({
    ...settings,
    entryPoints: { ...entries },
    plugins: [apart(early), ...plugins],
  });
  if (Object.keys(early).length === 0) return whole.metafile;
  const first = await build({
    ...settings,
    entryPoints: early,
    plugins: [madeBefore(whole.metafile), ...plugins],
  });
  return {
    inputs: { ...whole.metafile.inputs, ...first.metafile.inputs },
    outputs: { ...whole.metafile.outputs, ...first.metafile.outputs },
  };
}

/** The same in one file, for an executable that has no others beside it: what would be loaded lazily is only run lazily. */
export async function bundleOneFile(entry: string, outfile: string): Promise<void> {
  await build({
    ...toNode,
    entryPoints: [entry],
    outfile,
    minifySyntax: true,
    minifyWhitespace: true,
    external: [],
    plugins: [prebuilt, texts(), leanSdk, englishOnly, shortNames, notInstalled],
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
  // All licences are in one file beside the bundle.
  legalComments: "none",
  // Who wants telemetry, or to build a server, installs these beside the command.
  external: ["@opentelemetry/*", "esbuild"],
  banner: {
    // Bundled CommonJS asks for Node's own modules this way; `createRequire` would cost every start 5 ms.
    js: "const require=id=>{const m=process.getBuiltinModule(id);if(m)return m;throw new Error('Not in the bundle: '+id)};",
  },
};

/** Short names in code of others, which is most of a bundle. Code that asks for the name of a class keeps them. */
const shortNames: Plugin = {
  name: "short-names",
  setup(bundling) {
    bundling.onLoad({ filter: /\/node_modules\/.*\.m?js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      if (/\bconstructor\.name\b/.test(text)) return undefined;
      const { code } = await transform(text, { minifyIdentifiers: true, target: "node22", loader: "js" });
      return { contents: code, loader: "js" };
    });
  },
};

/** An executable loads no package from beside it: what an operator may install elsewhere is never there. */
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

/** Leaves modules that are loaded first to a build of their own, and notes them. */
function apart(early: Record<string, string>): Plugin {
  return {
    name: "apart",
    setup(bundling) {
      bundling.onResolve({ filter: /\.early\.ts$/ }, ({ path, resolveDir, kind }) => {
        if (kind !== "dynamic-import") return undefined;
        const name = basename(path, ".ts");
        early[name] = resolve(resolveDir, path);
        return { path: `./${name}.js`, external: true };
      });
    },
  };
}

/** Lazily imports what was prebuilt from where it is already. */
function madeBefore({ outputs }: Metafile): Plugin {
  const made = new Map(
    Object.entries(outputs).flatMap(([path, { entryPoint }]) =>
      entryPoint === undefined ? [] : [[resolve(entryPoint), basename(path)] as const],
    ),
  );
  return {
    name: "made-before",
    setup(bundling) {
      bundling.onResolve({ filter: /\.prebuilt\.ts$/ }, ({ path, resolveDir, kind }) => {
        const name = kind === "dynamic-import" ? made.get(resolve(resolveDir, path)) : undefined;
        return name === undefined ? undefined : { path: `./${name}`, external: true };
      });
    },
  };
}

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

/** Without a folder to write to, the texts stand in the bundle. */
function texts(outdir?: string): Plugin {
  return {
    name: "texts",
    setup(bundling) {
      bundling.onLoad({ filter: /\.text\.ts$/ }, async ({ path }) => {
        const made = Object.entries(await valuesOf(path)).map(
          ([name, make]) => [name, String(make())] as const,
        );
        if (outdir === undefined)
          return {
            contents: made
              .map(([name, text]) => `export const ${name} = () => ${JSON.stringify(text)};`)
              .join("\n"),
            loader: "js",
          };
        await mkdir(outdir, { recursive: true });
        const prefix = `${basename(path, ".text.ts")}-`;
        const fileOf = (name: string) => `${prefix}${name}.txt`;
        const files = new Set(made.map(([name]) => fileOf(name)));
        // An earlier build may have left texts that nothing reads any more.
        const old = (await readdir(outdir)).filter(
          (name) => name.startsWith(prefix) && name.endsWith(".txt") && !files.has(name),
        );
        await Promise.all(old.map((name) => rm(join(outdir, name), { force: true })));
        await Promise.all(made.map(([name, text]) => writeFile(join(outdir, fileOf(name)), text)));
        return {
          contents: [
            `import { readFileSync } from "node:fs";`,
            ...made.map(
              ([name]) =>
                `export const ${name} = () => readFileSync(new URL("./${fileOf(name)}", import.meta.url), "utf8");`,
            ),
          ].join("\n"),
          loader: "js",
        };
      });
    },
  };
}

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
