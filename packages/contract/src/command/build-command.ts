import { type Command, commandFor } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { buildServer } from "../build/build-server.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

export const buildCommand: Command<Machine> = command({
  name: "build",
  describe: "Bundle a server into few files that start fast",
  details:
    "Most of the start time is spent finding and loading modules. The built file contains everything, turns on Node's compile cache, and with --handshake answers the handshake and the list of tools before the rest is loaded. Requires esbuild, installed next to your server.",
  args: { entry: { describe: "The module that serves", required: true } },
  options: {
    out: { kind: "value", placeholder: "FOLDER", describe: "Where to write it; dist by default" },
    handshake: {
      kind: "value",
      placeholder: "MODULE",
      describe:
        "A module that only exports the app served on stdin and stdout: it runs during the build, and the first answers are prepared",
    },
    unless: {
      kind: "value",
      placeholder: "NAME",
      describe: "With --handshake: a variable that is set if stdin and stdout are not served",
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
      line: "toolpact build src/server.ts --handshake src/app.ts --unless PORT",
      does: "the same, and prepares the first answers, which an HTTP server on PORT does not need",
    },
    { line: "toolpact build src/server.ts --external better-sqlite3", does: "leaves a package out" },
  ],
  async run({ entry, out = "dist", handshake, unless, external = [] }) {
    const esbuild = await import("esbuild").catch(() => undefined);
    if (esbuild === undefined)
      return failed({
        message: "toolpact build bundles with esbuild, which is not installed here.",
        fix: "Run `npm install --save-dev esbuild`.",
      });
    const built = await buildServer(esbuild, {
      entry,
      outdir: out,
      handshake,
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

/** The conditions by which this process resolves packages. */
function conditionsOf(words: readonly string[]): readonly string[] {
  return words.flatMap((word, at) => {
    const [, inline] = /^(?:--conditions|-C)=(.+)$/.exec(word) ?? [];
    return inline ?? (word === "--conditions" || word === "-C" ? (words[at + 1] ?? []) : []);
  });
}
