import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, constants, copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { validate } from "dockerfile-utils";
import { freePort } from "../free-port.ts";
import { root } from "../packages.ts";
import type { Attempt } from "./channels.ts";
import { imageOf, layOut } from "./container.ts";
import type { ShippedServer } from "./servers.ts";
import { conversation, type Stranger } from "./stranger.ts";

const context = join(root, "packages/tuitbot");
const TOKEN = "a token that nobody guesses";

/** This machine's container engine, if one is running. */
export function containerEngine(): string | undefined {
  return ["docker", "podman"].find(
    (name) => spawnSync(name, ["info"], { stdio: "ignore", timeout: 10_000 }).status === 0,
  );
}

/** Builds and starts the image if there is an engine; otherwise lints it and runs its steps without one. */
export async function tryContainer(stranger: Stranger, server: ShippedServer): Promise<Attempt> {
  const problems = validate(readFileSync(join(context, "Dockerfile"), "utf8"));
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join("\n"));
  const engine = containerEngine();
  if (engine !== undefined) return { seen: await withEngine(engine, server) };
  return {
    seen: await withoutEngine(stranger, server),
    missing: "there is no container engine here (docker, podman): linted, and its steps run without one",
  };
}

async function withEngine(engine: string, server: ShippedServer): Promise<string> {
  const run = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(engine, args, { encoding: "utf8" });
    if (status !== 0) throw new Error(`${engine} ${args.join(" ")}: ${stderr}`);
    return stdout.trim();
  };
  const image = `tuitbot-trial-${process.pid}`;
  run("build", "--tag", image, context);
  const env = ["--env", "TUITBOT_SANDBOX=true", "--env", `TUITBOT_SERVER__TOKEN=${TOKEN}`];
  const container = run("run", "--detach", "--publish", "127.0.0.1::3001", ...env, image);
  try {
    if (run("exec", container, "id", "-u") !== "1000") throw new Error("The image runs as another user.");
    const healthCheck = imageOf(readFileSync(join(context, "Dockerfile"), "utf8")).healthCheck;
    while (spawnSync(engine, ["exec", container, ...healthCheck]).status !== 0)
      if (run("inspect", "--format", "{{.State.Running}}", container) !== "true")
        throw new Error(`The container ended:\n${run("logs", container)}`);
    const port = Number(run("port", container, "3001").split(":").at(-1));
    return `built and started by ${engine}; ${await asAgent(port, server)}`;
  } finally {
    run("rm", "--force", "--volumes", container);
    run("rmi", image);
  }
}

/** Copies the image's files into a folder and starts it there, as its user if permitted. */
async function withoutEngine(stranger: Stranger, server: ShippedServer): Promise<string> {
  const image = imageOf(readFileSync(join(context, "Dockerfile"), "utf8"));
  const place = join(stranger.folder, "image");
  const [app, data, bin] = ["app", "data", "bin"].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  layOut(image, context, app);
  for (const folder of [data, bin]) mkdirSync(folder);
  // The Node of this checkout may be readable only by this user.
  copyFileSync(process.execPath, join(bin, "node"), constants.COPYFILE_FICLONE);
  chmodSync(stranger.folder, 0o755);
  const [uid = 0, gid = 0] = image.user.split(":").map(Number);
  const user = process.getuid?.() === 0 ? { uid, gid } : {};
  if (user.uid !== undefined) chownSync(data, uid, gid);
  const port = await freePort();
  const start = (words: readonly string[]): ChildProcess => {
    const [command = "", ...args] = words.map((word) => word.replaceAll("3001", String(port)));
    const env = {
      ...image.environment,
      HOME: data,
      PATH: [bin, "/usr/bin"].join(delimiter),
      TUITBOT_SANDBOX: "true",
      TUITBOT_SERVER__TOKEN: TOKEN,
      TUITBOT_SERVER__DRAIN_DELAY_SECONDS: "0",
    };
    return spawn(command, args, { cwd: app, env, stdio: "ignore", ...user });
  };
  const isHealthy = async () => (await once(start(image.healthCheck), "exit"))[0] === 0;
  if (await isHealthy()) throw new Error("The health check is content with nothing.");
  const running = start([...image.entrypoint, ...image.command]);
  const ended = once(running, "exit");
  try {
    while (!(await isHealthy()))
      if (running.exitCode !== null) throw new Error(`The server ended with ${running.exitCode}.`);
    const seen = await asAgent(port, server);
    running.kill("SIGTERM");
    const [code] = await ended;
    if (code !== 0) throw new Error(`The server ended with ${code} on SIGTERM.`);
    return seen;
  } finally {
    running.kill("SIGKILL");
  }
}

async function asAgent(port: number, server: ShippedServer): Promise<string> {
  const client = new Client({ name: "stranger", version: "1" });
  const address = new URL(`http://127.0.0.1:${port}/mcp`);
  const headers = { authorization: `Bearer ${TOKEN}` };
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  try {
    return await conversation(client, server);
  } finally {
    await client.close();
  }
}
