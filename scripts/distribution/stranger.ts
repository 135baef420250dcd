import { spawn } from "node:child_process";
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { builtPackage } from "../build.ts";
import { root } from "../packages.ts";
import { loopbackRegistry, type PackedPackage } from "./loopback-registry.ts";
import { packPackage } from "./pack.ts";
import { type Publisher, publisherOf } from "./publisher.ts";
import { type ShippedServer, shippedServers } from "./servers.ts";

/** A server's launch command in a client's file. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A placeholder publisher, used if there is none. */
const SOMEBODY: Publisher = {
  repository: "https://github.com/example/toolpact",
  homepage: "https://toolpact.example",
  bugs: "https://github.com/example/toolpact/issues",
  mcpNamespace: "io.github.example",
};

/** A call each server answers in an empty home, without an account or engine. */
const CALLS: Readonly<
  Record<string, { readonly name: string; readonly arguments: Record<string, unknown> }>
> = {
  tuitbot: { name: "x_get_me", arguments: {} },
  "godot-mcp-omni": { name: "godot_project", arguments: { action: "project_info.get" } },
};

/**
 * A user whose machine never had our software: every home is empty, including the npm cache, and only Node, npm
 * and the system are available. Packages come from a loopback registry that has only those
 * to be published.
 */
export async function newStranger({
  isShort,
  others = [],
}: {
  readonly isShort: boolean;
  /** Other packages in the registry. */
  readonly others?: readonly PackedPackage[];
}) {
  const folder = mkdtempSync(join(tmpdir(), "toolpact-stranger-"));
  const found = publisherOf();
  const publisher = "missing" in found ? SOMEBODY : found;
  const bin = join(folder, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  for (const name of ["npm", "npx"]) symlinkSync(onPath(name), join(bin, name));
  const path = [bin, "/usr/bin", "/bin"].join(delimiter);
  const packed: PackedPackage[] = [];
  for (const { name } of shippedServers) {
    const pkg = await builtPackage(name);
    const file = await packPackage(pkg, publisher, folder);
    const manifest = JSON.parse(readFileSync(join(folder, "staged", pkg.name, "package.json"), "utf8"));
    packed.push({ name: pkg.name, version: pkg.version, manifest, file });
  }
  const registry = await loopbackRegistry([...packed, ...others]);
  let homes = 0;
  const answered = new Map<string, Promise<string>>();

  function newHome(): string {
    const home = join(folder, `home-${++homes}`);
    mkdirSync(join(home, "project"), { recursive: true });
    writeFileSync(join(home, "project/project.godot"), "config_version=5\n");
    return home;
  }

  function environment(home: string): Record<string, string> {
    return {
      PATH: path,
      HOME: home,
      npm_config_registry: registry.url,
      npm_config_cache: join(home, ".npm"),
      npm_config_update_notifier: "false",
    };
  }

  async function connect(server: ShippedServer, { command, args, env = {} }: Launch): Promise<string> {
    const home = newHome();
    const project = join(home, "project");
    const given = Object.entries(env).map(([name, value]) => [
      name,
      value.replaceAll(`\${workspaceFolder}`, project),
    ]);
    const transport = new StdioClientTransport({
      command,
      args: [...args],
      cwd: project,
      env: { ...environment(home), ...Object.fromEntries(given) },
      stderr: "pipe",
    });
    let said = "";
    transport.stderr?.on("data", (part) => {
      said += part;
    });
    const client = new Client({ name: "stranger", version: "1" });
    try {
      await client.connect(transport);
      return await conversation(client, server);
    } catch (error) {
      // Clients throw errors.
      throw new Error(`${[command, ...args].join(" ")}: ${(error as Error).message}\n${said}`);
    } finally {
      await client.close();
    }
  }

  return {
    folder,
    publisher,
    isShort,
    /** The packages to publish. */
    packed,
    /** Requested third-party packages. */
    others: registry.others,
    newHome,
    environment,

    /** Starts a server like a client, performs the handshake, lists its tools and calls one. Returns a summary. */
    answers(server: ShippedServer, launch: Launch): Promise<string> {
      if (!isShort) return connect(server, launch);
      const key = JSON.stringify([server.name, launch]);
      const earlier = answered.get(key);
      if (earlier !== undefined) return earlier.then((text) => `${text}; the same line as above`);
      const first = connect(server, launch);
      answered.set(key, first);
      return first;
    },

    /** Runs a command in a home and returns what it prints on stdout. */
    run(
      home: string,
      command: string,
      args: readonly string[],
      env: Readonly<Record<string, string>> = {},
    ): Promise<string> {
      return new Promise((resolve, reject) => {
        const child = spawn(command, args, { cwd: home, env: { ...environment(home), ...env } });
        let [out, err] = ["", ""];
        child.stdout.on("data", (part) => {
          out += part;
        });
        child.stderr.on("data", (part) => {
          err += part;
        });
        child.stdin.end();
        child.on("error", reject);
        child.on("close", (code) => {
          if (code === 0) resolve(out);
          else reject(new Error(`${[command, ...args].join(" ")} ended with ${code}:\n${out}${err}`));
        });
      });
    },

    async close(): Promise<void> {
      await registry.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Stranger = Awaited<ReturnType<typeof newStranger>>;

/** Lists the tools, calls one, and summarizes the result. */
export async function conversation(client: Client, server: ShippedServer): Promise<string> {
  const { tools } = await client.listTools();
  const call = CALLS[server.name];
  if (call === undefined || !tools.some(({ name }) => name === call.name))
    throw new Error(`${server.name} lists ${tools.length} tools, and not the one to call.`);
  const { structuredContent } = await client.callTool(call);
  // Both servers answer with an object.
  const { success, ok } = structuredContent as { readonly success?: boolean; readonly ok?: boolean };
  if (!(success ?? ok)) throw new Error(`${call.name} failed: ${JSON.stringify(structuredContent)}`);
  return `${tools.length} tools, ${call.name} answered`;
}

/** A program of this machine, outside this checkout. */
function onPath(name: string): string {
  const found = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !folder.startsWith(root))
    .map((folder) => join(folder, name))
    .find(isExecutable);
  if (found === undefined) throw new Error(`There is no ${name} on the path.`);
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
