import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { buildExecutable } from "../build-sea.ts";
import type { Attempt } from "./channels.ts";
import { packageOf } from "./client-files.ts";
import type { ShippedServer } from "./servers.ts";
import type { Stranger } from "./stranger.ts";

/** There is no Node next to the executable. */
const WITHOUT_NODE = { PATH: "/nowhere" };

/** Builds the command as one executable and uses it: commands, an agent, a client's file, the page. */
export async function tryExecutable(stranger: Stranger, server: ShippedServer): Promise<Attempt> {
  const pkg = packageOf(server);
  const executable = await buildExecutable(pkg, join(stranger.folder, "executable"));
  const home = stranger.newHome();
  const run = (...args: string[]) => stranger.run(home, executable, args, WITHOUT_NODE);

  if ((await run("--version")).trim() !== pkg.version) throw new Error("It has another version.");
  const called = JSON.parse(await run("call", "x_get_me", "--sandbox"));
  if (called.success !== true) throw new Error(`x_get_me failed: ${JSON.stringify(called)}`);

  mkdirSync(join(home, ".cursor"));
  await run("mcp", "setup", "--sandbox", "--client", "cursor", "--yes");
  const { mcpServers } = JSON.parse(readFileSync(join(home, ".cursor/mcp.json"), "utf8"));
  const { command, args } = mcpServers[server.name];
  if (command !== executable) throw new Error(`A client would start ${command} instead of the executable.`);
  const seen = await stranger.answers(server, { command, args, env: WITHOUT_NODE });

  await seePage(executable, home, { ...stranger.environment(home), ...WITHOUT_NODE });
  return { seen: `${Math.round(statSync(executable).size / 1e6)} MB; ${seen}; its page is in it` };
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
    // It can load nothing from its folder, and must say so instead of failing.
    if (!warned.includes("there is no telemetry without"))
      throw new Error(`It says nothing of telemetry: ${warned}`);
    if (script === undefined || status !== 200) throw new Error("The page of the executable is not whole.");
  } finally {
    server.kill("SIGKILL");
  }
}
