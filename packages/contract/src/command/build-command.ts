import { type Command, commandFor } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { buildServer } from "../build/build-server.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

/** `toolpact build` */
export const buildCommand: Command<Machine> = command({
  name: "build",
  describe: "Bundle a server into few files that start fast",
  details:
    "Finding and loading modules is most of what a start costs. The file that is built has everything in it, switches Node's compile cache on, and with --opening answers the handshake and the list of tools before the rest is loaded. It needs esbuild, installed beside your server.",
  args: { entry: { describe: "The module that serves", required: true } },
  options: {
    out: { kind: "value", placeholder: "FOLDER", describe: "Where to write it; dist by default" },
    opening: {
      kind: "value",
      placeholder: "MODULE",
      describe:
        "A module that exports the app that is served on stdin and stdout, and does nothing else: it is run now, and what a client asks first is prepared",
    },
    unless: {
      kind: "value",
      placeholder: "NAME",
      describe:
        "With --opening: a variable that, where it is set, means that stdin and stdout are not served",
    },
    external: {
      kind: "list",
      placeholder: "PACKAGES",
      describe: "Packages that stay where they are installed, such as those with native code",
    },
  },
  examples: [
    { line: "toolpact build src/server.ts", does: "writes dist/server.mjs" },
    {
      line: "toolpact build src/server.ts --opening src/app.ts --unless PORT",
      does: "the same, and prepares the first answers, which an HTTP server on PORT does not need",
    },
    { line: "toolpact build src/server.ts --external better-sqlite3", does: "leaves a package out" },
  ],
  async run({ entry, out = "dist", opening, unless, external = [] }) {
    const esbuild = await import("esbuild").catch(() => undefined);
    if (esbuild === undefined)
      return failed({
        message: "toolpact build bundles with esbuild, which is not installed here.",
        fix: "Run `npm install --save-dev esbuild`.",
      });
    const built = await buildServer(esbuild, {
      entry,
      outdir: out,
      opening,
      unless,
      external,
      conditions: conditionsOf(process.execArgv),
    });
    if (!built.ok) return failed({ message: built.failure });
    const { file, files } = built.value;
    return ok({
      text: [
        ...files.map(({ path, bytes }) => `${String(Math.ceil(bytes / 1024)).padStart(6)} kB  ${path}`),
        `Run it with: node ${file}`,
      ].join("\n"),
      json: { file, files: files.map((one) => ({ ...one })) },
    });
  },
});

/** Packages are resolved as for this process itself. */
function conditionsOf(words: readonly string[]): readonly string[] {
  return words.flatMap((word, at) => {
    const [, inline] = /^(?:--conditions|-C)=(.+)$/.exec(word) ?? [];
    return inline ?? (word === "--conditions" || word === "-C" ? (words[at + 1] ?? []) : []);
  });
}
