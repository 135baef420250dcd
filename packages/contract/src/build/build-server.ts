import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, extname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { BuildOptions, Plugin } from "esbuild";
import { englishOnly } from "./english-only.ts";
import { leanSdkIfKnown } from "./lean-sdk.ts";

export interface ServerBuild {
  /** The module that serves. */
  readonly entry: string;
  readonly outdir: string;
  /** A module that exports the app that is served on stdin and stdout: its handshake and list are prepared. */
  readonly opening?: string | undefined;
  /** A variable that, where it is set, means that stdin and stdout are not served. */
  readonly unless?: string | undefined;
  /** Packages that stay where they are installed. */
  readonly external: readonly string[];
  /** Conditions under which packages are resolved, beside Node's own. */
  readonly conditions: readonly string[];
}

export interface BuiltServer {
  /** The file to run. */
  readonly file: string;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

type Esbuild = typeof import("esbuild");

/**
 * Bundles a server with all that it imports: one file for the start, one for each part that is imported lazily, and one
 * that answers the first messages of a client while the others are loaded.
 */
export async function buildServer(
  esbuild: Esbuild,
  options: ServerBuild,
): Promise<Outcome<BuiltServer, string>> {
  const { entry, outdir, opening, unless } = options;
  const name = basename(entry, extname(entry));
  try {
    const prepared = opening === undefined ? undefined : await openingJson(esbuild, opening, options);
    if (prepared?.ok === false) return prepared;
    const started = await esbuild.build({
      ...settings(options),
      entryPoints: { [name]: "toolpact:start" },
      outdir,
      splitting: true,
      plugins: [virtual("toolpact:start", startOf(resolve(entry), prepared && { name, unless })), ...PLUGINS],
    });
    const opened =
      prepared &&
      (await esbuild.build({
        ...settings(options),
        entryPoints: { [`${name}.opening`]: "toolpact:opening" },
        outdir,
        plugins: [virtual("toolpact:opening", openOf(prepared.value)), ...PLUGINS],
      }));
    const outputs = { ...started.metafile?.outputs, ...opened?.metafile?.outputs };
    return ok({
      file: join(outdir, `${name}.mjs`),
      files: Object.entries(outputs).map(([path, { bytes }]) => ({ path: relative("", path), bytes })),
    });
  } catch (error) {
    // esbuild throws with all that it found as its message.
    return failed((error as Error).message);
  }
}

/** Of the copy of this library that the server uses. */
const OPENING = JSON.stringify("@toolpact/contract/opening");

const PLUGINS: readonly Plugin[] = [leanSdkIfKnown, englishOnly];

function settings({ external, conditions }: ServerBuild) {
  return {
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    // Wherever the files are put, they are modules.
    outExtension: { ".js": ".mjs" },
    conditions: [...conditions],
    // What a server may do without, and modules that are no JavaScript.
    external: ["@opentelemetry/*", "pg", ...external],
    minifySyntax: true,
    minifyWhitespace: true,
    charset: "utf8",
    logLevel: "silent",
    metafile: true,
    banner: {
      // Bundled CommonJS asks for Node's own modules this way.
      js: "const require=id=>{const m=process.getBuiltinModule(id);if(m)return m;throw new Error('Not in the bundle: '+id)};",
    },
  } as const satisfies BuildOptions;
}

/** A module that is no file: it imports from where the command was started. */
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
      bundling.onResolve({ filter: /^\.\/.*\.opening\.mjs$/ }, (asked) => ({
        path: asked.path,
        external: true,
      }));
    },
  };
}

/** The cache is on before anything else is loaded, so that all of it comes from there on the second start. */
function startOf(
  entry: string,
  opening: { readonly name: string; readonly unless: string | undefined } | undefined,
): string {
  const open =
    opening &&
    `const { open } = await import(${JSON.stringify(`./${opening.name}.opening.mjs`)});\nawait open();`;
  return [
    `import { enableCompileCache } from "node:module";`,
    "enableCompileCache();",
    ...(open === undefined
      ? []
      : [
          opening?.unless === undefined
            ? open
            : `if (process.env[${JSON.stringify(opening.unless)}] === undefined) {\n${open}\n}`,
        ]),
    `await import(${JSON.stringify(entry)});`,
  ].join("\n");
}

function openOf(json: string): string {
  return [
    `import { openStdio } from ${OPENING};`,
    `const opening = JSON.parse(${JSON.stringify(json)});`,
    "export const open = () => openStdio(() => opening).due;",
  ].join("\n");
}

/** Runs the module with the library that it uses itself, since apps of another copy cannot be read. */
async function openingJson(
  esbuild: Esbuild,
  file: string,
  options: ServerBuild,
): Promise<Outcome<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), "toolpact-build-"));
  try {
    const contents = `import * as exported from ${JSON.stringify(resolve(file))};
import { openingOfApp } from ${OPENING};
export const opening = Object.values(exported).map(openingOfApp).find((found) => found !== undefined);`;
    const outfile = join(folder, "opening.mjs");
    await esbuild.build({
      ...settings(options),
      outExtension: {},
      entryPoints: ["toolpact:app"],
      outfile,
      plugins: [virtual("toolpact:app", contents), ...PLUGINS],
    });
    const { opening }: { opening?: object } = await import(pathToFileURL(outfile).href);
    return opening === undefined ? failed(`${file} exports no app.`) : ok(JSON.stringify(opening));
  } finally {
    await rm(folder, { recursive: true });
  }
}
