import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildExecutable } from "../build-sea.ts";
import { packageNamed } from "../packages.ts";
import type { Attempt } from "./channels.ts";
import type { ShippedServer } from "./servers.ts";
import type { Stranger } from "./stranger.ts";

/** There is no Node next to the executable. */
const WITHOUT_NODE = { PATH: "/nowhere" };

/** Builds the command as an executable and tests it: commands, an agent, a client's file, and its content. */
export async function tryExecutable(stranger: Stranger, server: ShippedServer): Promise<Attempt> {
  const pkg = packageNamed(server.name);
  const executable = await buildExecutable(pkg, join(stranger.folder, "executable"));
  const home = stranger.newHome();
  const run = (...args: string[]) => stranger.run(home, executable, args, WITHOUT_NODE);

  if ((await run("--version")).trim() !== pkg.version) throw new Error("It has another version.");
  mkdirSync(join(home, ".cursor"));
  const isTuitbot = server.name === "tuitbot";
  await (isTuitbot ? useTuitbot(run) : useGodot(run, home));
  const { mcpServers } = JSON.parse(readFileSync(join(home, ".cursor/mcp.json"), "utf8"));
  // The only entry; its name may differ from the package's.
  const [{ command, args } = { command: "", args: [] }] = Object.values(
    mcpServers as Record<string, { command: string; args: string[] }>,
  );
  if (command !== executable) throw new Error(`A client would start ${command} instead of the executable.`);
  const seen = await stranger.answers(server, { command, args, env: WITHOUT_NODE });

  if (isTuitbot) await seePage(executable, home, { ...stranger.environment(home), ...WITHOUT_NODE });
  const inside = isTuitbot ? "its page is in it" : "its addon is in it";
  return { seen: `${Math.round(statSync(executable).size / 1e6)} MB; ${seen}; ${inside}` };
}

type Run = (...args: string[]) => Promise<string>;

async function useTuitbot(run: Run): Promise<void> {
  const called = JSON.parse(await run("call", "x_get_me", "--sandbox"));
  if (called.success !== true) throw new Error(`x_get_me failed: ${JSON.stringify(called)}`);
  await run("mcp", "setup", "--sandbox", "--client", "cursor", "--yes");
}

/** Extracts the addon from the executable into a project. */
async function useGodot(run: Run, home: string): Promise<void> {
  const project = join(home, "game");
  mkdirSync(project);
  writeFileSync(join(project, "project.godot"), "config_version=5\n");
  const make = JSON.stringify({ action: "new", scene: "res://main.tscn" });
  const called = JSON.parse(await run("--project", project, "call", "godot_scene", "--json", make));
  if (called.ok !== true) throw new Error(`godot_scene failed: ${JSON.stringify(called)}`);
  await run("--project", project, "addon", "install");
  if (!existsSync(join(project, "addons/godot_mcp_bridge/shared/operations.gd")))
    throw new Error("The addon of the executable is not whole.");
  await run("--project", project, "setup", "--client", "cursor", "--yes");
}

async function seePage(executable: string, home: string, env: Record<string, string>): Promise<void> {
  const server = spawn(executable, ["mcp", "serve", "--sandbox", "--http", "0"], {
    cwd: home,
    env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" },
  });
  try {
    let [said, warned] = ["", ""];
    server.stdout.on("data", (part) => {
      said += part;
    });
    server.stderr.on("data", (part) => {
      warned += part;
    });
    const address = () => /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
    while (address() === undefined) await once(server.stdout, "data");
    const page = await (await fetch(`${address()}/`, { headers: { accept: "text/html" } })).text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1];
    const { status } = await fetch(`${address()}${script}`);
    // It cannot load packages from its folder, and must report that instead of failing.
    if (!warned.includes("there is no telemetry without"))
      throw new Error(`It says nothing of telemetry: ${warned}`);
    if (script === undefined || status !== 200) throw new Error("The page of the executable is not whole.");
  } finally {
    server.kill("SIGKILL");
  }
}
