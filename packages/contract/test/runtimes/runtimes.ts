import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { run } from "../../../../scripts/run.ts";

export interface Runtime {
  readonly name: "bun" | "deno" | "workerd";
  readonly version: string;
  /** By system, unless its makers publish none. */
  readonly packages: Readonly<Record<string, string>>;
  readonly program: string;
  /** Its `fetch` is the server. */
  readonly entry: string;
}

export const RUNTIMES: readonly Runtime[] = [
  {
    name: "bun",
    version: "1.4.4",
    packages: {
      "linux-x64": "@oven/bun-linux-x64",
      "linux-arm64": "@oven/bun-linux-aarch64",
      "darwin-arm64": "@oven/bun-darwin-aarch64",
      "darwin-x64": "@oven/bun-darwin-x64",
    },
    program: "bin/bun",
    entry: `const { port } = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch }); console.log(JSON.stringify({ port }));`,
  },
  {
    name: "deno",
    version: "2.9.6",
    packages: {
      "linux-x64": "@deno/linux-x64-glibc",
      "linux-arm64": "@deno/linux-arm64-glibc",
      "darwin-arm64": "@deno/darwin-arm64",
      "darwin-x64": "@deno/darwin-x64",
    },
    program: "deno",
    entry: `Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(JSON.stringify({ port })) }, fetch);`,
  },
  {
    name: "workerd",
    version: "1.20261110.1",
    packages: {
      "linux-x64": "@cloudflare/workerd-linux-64",
      "linux-arm64": "@cloudflare/workerd-linux-arm64",
      "darwin-arm64": "@cloudflare/workerd-darwin-arm64",
      "darwin-x64": "@cloudflare/workerd-darwin-64",
    },
    program: "bin/workerd",
    entry: "export default { fetch };",
  },
];

/** Programs stay here: 350 MB is too much for every install. */
const CACHE = fileURLToPath(new URL("../../../../node_modules/.cache/toolpact-runtimes", import.meta.url));
const PATIENCE_MS = 60_000;

/** Undefined if it was not fetched yet. */
export function programOf({ name, version, program }: Runtime): string | undefined {
  const path = join(CACHE, `${name}-${version}`, program);
  return existsSync(path) ? path : undefined;
}

/** Runs no script of the package. Returns why it failed. */
export async function fetchProgram(runtime: Runtime): Promise<string | undefined> {
  const system = `${process.platform}-${process.arch}`;
  const pkg = runtime.packages[system];
  if (pkg === undefined) return `${runtime.name} is not published for ${system}`;
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, "fetching-"));
  try {
    const packed = await run(
      "npm",
      ["pack", `${pkg}@${runtime.version}`, "--pack-destination", folder],
      folder,
    );
    if (!packed.ok) return `${pkg} cannot be fetched: ${packed.output.trim().split("\n").at(-1)}`;
    const file = join(folder, `${pkg.replace("@", "").replace("/", "-")}-${runtime.version}.tgz`);
    const unpacked = await run("tar", ["-xzf", file, "-C", folder]);
    if (!unpacked.ok) return `${pkg} cannot be unpacked: ${unpacked.output.trim()}`;
    // Atomic, even if two fetch at once.
    await rename(join(folder, "package"), join(CACHE, `${runtime.name}-${runtime.version}`)).catch(() => {});
    return programOf(runtime) === undefined ? `${pkg} has no ${runtime.program}` : undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface RunningRuntime extends AsyncDisposable {
  readonly url: string;
}

/** Bundles the server as a user would, and serves it on a free port. */
export async function start(runtime: Runtime, program: string): Promise<RunningRuntime> {
  const folder = await mkdtemp(join(tmpdir(), `toolpact-${runtime.name}-`));
  const script = join(folder, "server.mjs");
  await build({
    stdin: {
      contents: `import { fetch } from "./server.ts";\n${runtime.entry}`,
      resolveDir: import.meta.dirname,
    },
    outfile: script,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "es2024",
    conditions: ["toolpact-source"],
    external: ["@opentelemetry/*"],
    logLevel: "error",
  });
  if (runtime.name === "workerd") await writeFile(join(folder, "config.capnp"), WORKERD_CONFIG);
  const child = spawn(program, argumentsOf(runtime, folder, script), {
    cwd: folder,
    // workerd reports its port on the fourth.
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      NO_COLOR: "1",
      DENO_NO_UPDATE_CHECK: "1",
      DO_NOT_TRACK: "1",
    },
  });
  const stop = async () => {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
    child.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const port = await portOf(child, runtime.name);
    return { url: `http://127.0.0.1:${port}/mcp`, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function argumentsOf({ name }: Runtime, folder: string, script: string): string[] {
  switch (name) {
    case "bun":
      return ["run", script];
    case "deno":
      return [
        "run",
        "--no-config",
        "--no-lock",
        "--no-remote",
        "--allow-net=127.0.0.1",
        "--allow-env",
        "--allow-sys",
        script,
      ];
    case "workerd":
      return ["serve", "--control-fd=3", join(folder, "config.capnp")];
  }
}

const WORKERD_CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .server)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const server :Workerd.Worker = (
  modules = [(name = "server.mjs", esModule = embed "server.mjs")],
  compatibilityDate = "2026-10-01",
  compatibilityFlags = ["nodejs_compat"],
);
`;

/** The port in the first line of JSON that has one; the error holds the other output. */
async function portOf(child: ChildProcess, name: string): Promise<number> {
  let said = "";
  child.stderr?.on("data", (part) => {
    said += part;
  });
  const from = name === "workerd" ? (child.stdio[3] as Readable) : child.stdout;
  const late = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  try {
    if (from !== null && from !== undefined)
      for await (const line of createInterface({ input: from })) {
        const port = /"port":(\d+)/.exec(line)?.[1];
        if (port !== undefined) return Number(port);
        said += `${line}\n`;
      }
  } finally {
    clearTimeout(late);
  }
  throw new Error(`${name} does not serve:\n${said}`);
}
