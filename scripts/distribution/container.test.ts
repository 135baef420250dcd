import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { validate } from "dockerfile-utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPostgres } from "../../packages/tuitbot/test/postgres/server.ts";
import { signedInEnv } from "../../packages/tuitbot/test/signed-in-env.ts";
import { Sandbox } from "../../packages/x-sandbox/src/index.ts";
import { builtPackage } from "../build.ts";
import { freePort } from "../free-port.ts";
import { root } from "../packages.ts";
import { type Compose, composeOf, imageOf, layOut } from "./container.ts";
import { shippedServers } from "./servers.ts";

const context = join(root, "packages/tuitbot");
const dockerfile = readFileSync(join(context, "Dockerfile"), "utf8");
const composeFile = join(root, "compose.yaml");
const secrets = { POSTGRES_PASSWORD: "tuitbot", TUITBOT_SERVER__TOKEN: "a token that nobody guesses" };

describe("the files", () => {
  test("the linter accepts the Dockerfile, and rejects a wrong one", () => {
    expect(validate(dockerfile)).toEqual([]);
    expect(validate(dockerfile.replace("EXPOSE 3001", "EXPOSE none"))).not.toEqual([]);
  });

  test("the image copies only published files in its context, and does not run as root", () => {
    const image = imageOf(dockerfile);
    const letIn = readFileSync(join(context, ".dockerignore"), "utf8").match(/(?<=^!).*/gm) ?? [];
    expect(image.copied.map(({ from }) => from).sort()).toEqual([...letIn].sort());
    expect(image.user).toBe("1000:1000");
    const tuitbot = shippedServers.find(({ name }) => name === "tuitbot");
    expect(dockerfile).toContain(`image.description="${tuitbot?.description}"`);
  });

  test("compose requires its secrets, and references only existing files", () => {
    expect(() => composeOf(composeFile, {})).toThrow("POSTGRES_PASSWORD: set it in .env");
    const { services, volumes } = composeOf(composeFile, secrets);
    expect(Object.keys(services)).toEqual(["serve", "run", "postgres"]);
    const reference = readFileSync(join(root, "docs/configuration.md"), "utf8");
    for (const [name, service] of Object.entries(services)) {
      for (const other of Object.keys(service.depends_on ?? {})) expect(services).toHaveProperty(other);
      for (const volume of service.volumes) expect(volumes).toHaveProperty(volume.split(":")[0] ?? "");
      if (service.build === undefined) continue;
      expect(existsSync(join(root, service.build, "Dockerfile")), name).toBe(true);
      for (const variable of Object.keys(service.environment)) expect(reference).toContain(`\`${variable}\``);
    }
  });
});

describe.skipIf(process.platform === "win32")("its steps on a PostgreSQL, without a container engine", () => {
  const image = imageOf(dockerfile);
  const folder = mkdtempSync(join(tmpdir(), "toolpact-image-"));
  const app = join(folder, "app");
  const home = join(folder, "data");
  // A root process switches to the image's user.
  const [uid = 0, gid = 0] = image.user.split(":").map(Number);
  const user = process.getuid?.() === 0 ? { uid, gid } : {};
  let compose: Compose;
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let port: number;
  const sandbox = new Sandbox();
  let signedIn: NodeJS.ProcessEnv;
  const running: ChildProcess[] = [];

  beforeAll(async () => {
    await builtPackage("tuitbot");
    layOut(image, context, app);
    mkdirSync(home);
    mkdirSync(join(folder, "bin"));
    // The Node of this checkout may be readable only by this user.
    copyFileSync(process.execPath, join(folder, "bin/node"), constants.COPYFILE_FICLONE);
    chmodSync(folder, 0o755);
    if (user.uid !== undefined && user.gid !== undefined) chownSync(home, user.uid, user.gid);
    const {
      TUITBOT_X_API__BASE_URL = "",
      TUITBOT_X_API__CLIENT_ID = "",
      TUITBOT_AUTH__TOKEN_FILE = "",
    } = await signedInEnv(home, sandbox);
    signedIn = { TUITBOT_X_API__BASE_URL, TUITBOT_X_API__CLIENT_ID, TUITBOT_AUTH__TOKEN_FILE };
    if (user.uid !== undefined && user.gid !== undefined)
      chownSync(TUITBOT_AUTH__TOKEN_FILE, user.uid, user.gid);
    postgres = await startPostgres();
    compose = composeOf(composeFile, secrets);
    port = await freePort();
  }, 120_000);

  afterAll(async () => {
    for (const child of running) child.kill("SIGKILL");
    await postgres?.stop();
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts a process like the image: with its environment and user, and only PATH from this machine. */
  function start(args: readonly string[], more: NodeJS.ProcessEnv = {}): ChildProcess {
    // The port is this machine's, and the data folder is not at its root.
    const [command = "", ...rest] = args.map((word) => word.replaceAll("3001", String(port)));
    const child = spawn(command, rest, {
      cwd: app,
      env: {
        ...image.environment,
        HOME: home,
        PATH: [join(folder, "bin"), "/usr/bin"].join(delimiter),
        ...more,
      },
      stdio: ["ignore", "ignore", "pipe"],
      ...user,
    });
    running.push(child);
    return child;
  }

  function startService(name: "serve" | "run"): ChildProcess {
    const { command = image.command, environment } = compose.services[name] ?? { environment: {} };
    return start([...image.entrypoint, ...command], {
      ...environment,
      ...signedIn,
      TUITBOT_STORAGE__URL: postgres.url,
      TUITBOT_SERVER__DRAIN_DELAY_SECONDS: "0",
    });
  }

  async function untilHealthy(): Promise<void> {
    for (;;) {
      const [code] = await once(start(image.healthCheck), "exit");
      if (code === 0) return;
    }
  }

  test("the server becomes healthy, answers callers with the token, and exits with code 0", async () => {
    const [unhealthy] = await once(start(image.healthCheck), "exit");
    expect(unhealthy).toBe(1);
    const server = startService("serve");
    await untilHealthy();
    const address = new URL(`http://127.0.0.1:${port}/mcp`);
    expect((await fetch(address, { method: "POST", body: "{}" })).status).toBe(401);
    const client = new Client({ name: "stranger", version: "1" });
    const headers = { authorization: `Bearer ${secrets.TUITBOT_SERVER__TOKEN}` };
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
    const { structuredContent } = await client.callTool({ name: "health_check", arguments: {} });
    expect(JSON.stringify(structuredContent)).toContain("database");
    const ready = await fetch(new URL("/readyz", address));
    expect([ready.status, await ready.text()]).toEqual([200, "ready\n"]);
    await client.close();
    server.kill("SIGTERM");
    expect(await once(server, "exit")).toEqual([0, null]);
  });

  test("the runner starts next to it, and exits with code 0 within compose's grace period", async () => {
    const server = startService("serve");
    const runner = startService("run");
    await untilHealthy();
    const headers = { authorization: `Bearer ${secrets.TUITBOT_SERVER__TOKEN}` };
    const alive = async () =>
      (await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text()).includes(
        "tuitbot_runner_alive 1",
      );
    while (!(await alive())) expect(runner.exitCode).toBeNull();
    runner.kill("SIGTERM");
    expect(await once(runner, "exit")).toEqual([0, null]);
    server.kill("SIGTERM");
    expect(await once(server, "exit")).toEqual([0, null]);
  });
});
