import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, extname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { BuildOptions, Plugin } from "esbuild";
import { englishOnly, leanSdkIfKnown } from "./lean-sdk.ts";

export interface ServerBuild {
  readonly entry: string;
  readonly outdir: string;
  /** A module that exports the app served on stdio, whose handshake and tool list are prepared. */
  readonly handshake?: string | undefined;
  /** An environment variable that turns stdio off. */
  readonly unless?: string | undefined;
  readonly external: readonly string[];
  readonly conditions: readonly string[];
}

export interface BuiltServer {
  readonly file: string;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

type Esbuild = typeof import("esbuild");

/**
 * Bundles a server: one file for the start, one per lazy import, and one that answers the handshake while
 * others load.
 */
export async function buildServer(
  esbuild: Esbuild,
  options: ServerBuild,
): Promise<Outcome<BuiltServer, string>> {
  const { entry, outdir, handshake, unless } = options;
  const name = basename(entry, extname(entry));
  try {
    const prepared = handshake === undefined ? undefined : await handshakeJson(esbuild, handshake, options);
    if (prepared?.ok === false) return prepared;
    const started = await esbuild.build({
      ...settings(options),
      entryPoints: { [name]: "toolpact:start" },
      outdir,
      splitting: true,
      plugins: [virtual("toolpact:start", startOf(resolve(entry), prepared && { name, unless })), ...PLUGINS],
    });
    const preload =
      prepared &&
      (await esbuild.build({
        ...settings(options),
        entryPoints: { [`${name}.preload`]: "toolpact:preload" },
        outdir,
        plugins: [virtual("toolpact:preload", preloadOf(prepared.value)), ...PLUGINS],
      }));
    const outputs = { ...started.metafile?.outputs, ...preload?.metafile?.outputs };
    return ok({
      file: join(outdir, `${name}.mjs`),
      files: Object.entries(outputs).map(([path, { bytes }]) => ({ path: relative("", path), bytes })),
    });
  } catch (error) {
    return failed((error as Error).message);
  }
}

const PRELOAD = JSON.stringify("@toolpact/contract/internal/preload");

const PLUGINS: readonly Plugin[] = [leanSdkIfKnown, englishOnly];

function settings({ external, conditions }: ServerBuild) {
  return {
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    // Modules in any folder.
    outExtension: { ".js": ".mjs" },
    conditions: [...conditions],
    // Optional modules, and modules that are not JavaScript.
    external: ["@opentelemetry/*", "oidc-provider", "pg", ...external],
    minifySyntax: true,
    minifyWhitespace: true,
    charset: "utf8",
    logLevel: "silent",
    metafile: true,
    banner: {
      // Bundled CommonJS requires Node's modules this way.
      js: "const require=id=>{const m=process.getBuiltinModule(id);if(m)return m;throw new Error('Not in the bundle: '+id)};",
    },
  } as const satisfies BuildOptions;
}

/** A virtual module, whose imports resolve from the working directory. */
function virtual(path: string, contents: string): Plugin {
  return {
    name: "virtual",
    setup(bundling) {
      bundling.onResolve({ filter: /^toolpact:/ }, (asked) =>
        asked.path === path ? { path, namespace: "toolpact" } : undefined,
      );
      bundling.onLoad({ filter: /./, namespace: "toolpact" }, () => ({
        contents,
        loader: "js",
        resolveDir: process.cwd(),
      }));
      bundling.onResolve({ filter: /^\.\/.*\.preload\.mjs$/ }, (asked) => ({
        path: asked.path,
        external: true,
      }));
    },
  };
}

/** Enables the compile cache before other modules load, so the second start reads all of them from it. */
function startOf(
  entry: string,
  prepared: { readonly name: string; readonly unless: string | undefined } | undefined,
): string {
  const preload =
    prepared &&
    `const { preload } = await import(${JSON.stringify(`./${prepared.name}.preload.mjs`)});\nawait preload();`;
  return [
    `import { enableCompileCache } from "node:module";`,
    "enableCompileCache();",
    ...(preload === undefined
      ? []
      : [
          prepared?.unless === undefined
            ? preload
            : `if (process.env[${JSON.stringify(prepared.unless)}] === undefined) {\n${preload}\n}`,
        ]),
    `await import(${JSON.stringify(entry)});`,
  ].join("\n");
}

function preloadOf(json: string): string {
  return [
    `import { preloadStdio } from ${PRELOAD};`,
    `const handshake = JSON.parse(${JSON.stringify(json)});`,
    "export const preload = () => preloadStdio(() => handshake).due;",
  ].join("\n");
}

/** Runs the module with its own copy of the library, because an app's internals are private to a copy. */
async function handshakeJson(
  esbuild: Esbuild,
  file: string,
  options: ServerBuild,
): Promise<Outcome<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), "toolpact-build-"));
  try {
    const contents = `import * as exported from ${JSON.stringify(resolve(file))};
import { handshakeOfApp } from ${PRELOAD};
export const handshake = Object.values(exported).map(handshakeOfApp).find((found) => found !== undefined);`;
    const outfile = join(folder, "handshake.mjs");
    await esbuild.build({
      ...settings(options),
      outExtension: {},
      entryPoints: ["toolpact:app"],
      outfile,
      plugins: [virtual("toolpact:app", contents), ...PLUGINS],
    });
    const { handshake }: { handshake?: object } = await import(pathToFileURL(outfile).href);
    return handshake === undefined ? failed(`${file} exports no app.`) : ok(JSON.stringify(handshake));
  } finally {
    await rm(folder, { recursive: true });
  }
}
