import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { build } from "../../../scripts/build.ts";
import { loopbackRegistry, type PackedPackage } from "../../../scripts/distribution/loopback-registry.ts";
import { packPackage } from "../../../scripts/distribution/pack.ts";
import { onPath } from "../../../scripts/distribution/stranger.ts";
import { packages, root } from "../../../scripts/packages.ts";
import { run } from "../../../scripts/run.ts";

/**
 * How long somebody takes from nothing to a server that answers: `npm create toolpact`, install, a tool and a guard of
 * their own, the tests, the linter, and a call, in an empty home with an empty npm cache. All packages come from a
 * registry on loopback, ours as they would be published and the others as they are installed here, so that the network
 * is left out.
 */
const OURS = [
  "create-toolpact",
  "@toolpact/contract",
  "@toolpact/cli",
  "@toolpact/file-lock",
  "@toolpact/outcome",
];
const GOAL_S = 60;

/** What the stranger writes into the new server. */
const TOOL = `
const countNotes = product.defineTool({
  name: "count_notes",
  title: "Count notes",
  description: "Count the notes that were written down.",
  category: "notes",
  effect: "none",
  openWorld: false,
  profiles: ["everyone"],
  needs: ["notes"],
  errors: [],
  input: z.strictObject({}),
  output: z.object({ count: z.number() }),
  handler: (_input, { notes }) => ok({ count: notes.length }),
});

const noShouting = product.guard({
  name: "no shouting",
  codes: () => ["bad_input"],
  run: async (call, next) =>
    call.input.text === "HELLO" ? failed({ code: "bad_input", message: "Not so loud." }) : next(),
});
`;

const folder = mkdtempSync(join(tmpdir(), "toolpact-new-server-"));
const steps: { readonly name: string; readonly seconds: number }[] = [];
try {
  console.error("building and packing");
  const packed = await packAll();
  const registry = await loopbackRegistry(packed);
  try {
    await path(registry.url);
  } finally {
    await registry.close();
  }
  print(packed.length);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function path(registryUrl: string): Promise<void> {
  const bin = join(folder, "bin");
  const home = join(folder, "home");
  for (const one of [bin, home]) mkdirSync(one);
  symlinkSync(process.execPath, join(bin, "node"));
  for (const name of ["npm", "npx"]) symlinkSync(onPath(name), join(bin, name));
  const env = {
    PATH: [bin, "/usr/bin", "/bin"].join(delimiter),
    HOME: home,
    npm_config_registry: registryUrl,
    npm_config_cache: join(home, ".npm"),
    npm_config_update_notifier: "false",
  };
  const place = join(home, "my-server");
  const npm = (cwd: string, ...args: string[]) => promisify(execFile)(join(bin, "npm"), args, { cwd, env });

  await timed("npm create toolpact my-server", () => npm(home, "create", "--yes", "toolpact", "my-server"));
  await timed("npm install", () => npm(place, "install"));
  writeOwn(join(place, "src/app.ts"));
  await timed("npm test, with a tool and a guard of one's own", () => npm(place, "test"));
  await timed("npm run lint", () => npm(place, "run", "lint"));
  await timed("npm start, and three calls", async () => {
    const client = new Client({ name: "stranger", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(
      new StdioClientTransport({
        command: join(bin, "npm"),
        args: ["start", "--silent"],
        cwd: place,
        env,
        stderr: "ignore",
      }),
    );
    const call = async (name: string, args: Record<string, unknown>) =>
      JSON.stringify((await client.callTool({ name, arguments: args })).structuredContent);
    const answers = [
      await call("add_note", { text: "Hello" }),
      await call("add_note", { text: "HELLO" }),
      await call("count_notes", {}),
    ];
    await client.close();
    const expected = [/"count":1/, /Not so loud/, /"count":1/];
    const wrong = expected.findIndex((pattern, index) => !pattern.test(answers[index] ?? ""));
    if (wrong !== -1) throw new Error(`The server answers ${answers[wrong]}`);
  });
}

async function timed(name: string, step: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await step();
  steps.push({ name, seconds: (performance.now() - startedAt) / 1_000 });
}

function writeOwn(file: string): void {
  const text = readFileSync(file, "utf8");
  const own = text
    .replace("/** Read this line", () => `${TOOL}\n/** Read this line`)
    .replace("tools: [addNote]", "tools: [addNote, countNotes]")
    .replace(".use(limit)", ".use(limit)\n  .use(noShouting)");
  writeFileSync(file, own);
}

async function packAll(): Promise<readonly PackedPackage[]> {
  const ours = packages().filter(({ name }) => OURS.includes(name));
  await build(({ name }) => OURS.includes(name));
  const packed = new Map<string, PackedPackage>();
  for (const pkg of ours) {
    const file = await packPackage(pkg, undefined, folder);
    const manifest = manifestIn(join(folder, "staged", pkg.name));
    packed.set(pkg.name, { name: pkg.name, version: pkg.version, manifest, file });
  }
  // The client of the tests is of the new server itself.
  await packInstalled("@modelcontextprotocol/client", root, packed);
  for (const pkg of ours)
    for (const name of Object.keys(manifestIn(join(folder, "staged", pkg.name)).dependencies ?? {}))
      await packInstalled(name, pkg.folder, packed);
  return [...packed.values()];
}

interface Manifest extends Readonly<Record<string, unknown>> {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Packs a package as it is installed for the one in `from`, and all that it needs. */
async function packInstalled(name: string, from: string, packed: Map<string, PackedPackage>): Promise<void> {
  if (packed.has(name)) return;
  let at = from;
  while (!existsSync(join(at, "node_modules", name, "package.json"))) {
    if (at === dirname(at)) throw new Error(`${name} is not installed.`);
    at = dirname(at);
  }
  const source = join(at, "node_modules", name);
  const manifest = manifestIn(source);
  const outdir = mkdtempSync(join(folder, "other-"));
  const made = await run(
    "npm",
    ["pack", source, "--silent", "--ignore-scripts", "--pack-destination", outdir],
    folder,
  );
  if (!made.ok) throw new Error(`${name} cannot be packed: ${made.output}`);
  const file = join(outdir, made.output.trim().split("\n").at(-1) ?? "");
  packed.set(name, { name, version: manifest.version, manifest, file });
  for (const other of Object.keys(manifest.dependencies ?? {})) await packInstalled(other, source, packed);
}

function manifestIn(place: string): Manifest {
  // npm has checked that it is one.
  return JSON.parse(readFileSync(join(place, "package.json"), "utf8")) as Manifest;
}

function print(count: number): void {
  const total = steps.reduce((sum, { seconds }) => sum + seconds, 0);
  console.log("| from nothing to a server that answers | seconds |\n|---|---:|");
  for (const { name, seconds } of steps) console.log(`| ${name} | ${seconds.toFixed(1)} |`);
  console.log(`| together, with ${count} packages in the registry | ${total.toFixed(1)} |`);
  console.log(`The goal is less than ${GOAL_S} seconds: ${total < GOAL_S ? "met" : "missed"}.`);
}
