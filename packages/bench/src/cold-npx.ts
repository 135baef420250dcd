import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { PackedPackage } from "../../../scripts/distribution/loopback-registry.ts";
import { newStranger } from "../../../scripts/distribution/stranger.ts";
import { run } from "../../../scripts/run.ts";
import { median } from "./measure/statistics.ts";

/**
 * How long a person who has never used a server waits for its first answer: `npx` in an empty home with an empty cache,
 * until `initialize` is answered. Ours and a peer take turns. All packages come from a registry on loopback, so that
 * the network is left out; what would have to be downloaded is shown beside it. It fetches the peer from npm first, so
 * it is not part of the tests.
 */
const RUNS = 5;

interface Contender {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly bytes: number;
  readonly packages: number;
  readonly took: number[];
}

const folder = mkdtempSync(join(tmpdir(), "toolpact-cold-npx-"));
const peer = await fetched("@playwright/mcp", "latest");
const stranger = await newStranger({ isShort: false, others: peer });
try {
  const contenders: readonly Contender[] = [
    ...stranger.packed.map((pkg) => contender([pkg], pkg.name === "tuitbot" ? ["mcp", "serve"] : ["serve"])),
    contender(peer, ["--headless"]),
  ];
  for (let round = 0; round < RUNS; round++)
    for (const { name, args, env, took } of contenders) took.push(await firstAnswer(name, args, env));
  print(contenders);
} finally {
  await stranger.close();
  rmSync(folder, { recursive: true });
}

function contender(packed: readonly PackedPackage[], args: readonly string[]): Contender {
  return {
    name: packed[0]?.name ?? "",
    args,
    env: { TUITBOT_SANDBOX: "until_signed_in" },
    bytes: packed.reduce((sum, { file }) => sum + statSync(file).size, 0),
    packages: packed.length,
    took: [],
  };
}

/** A package of npm with all that it needs. */
async function fetched(name: string, version: string): Promise<readonly PackedPackage[]> {
  const packed = await run(
    "npm",
    ["pack", `${name}@${version}`, "--json", "--pack-destination", folder],
    folder,
  );
  if (!packed.ok) throw new Error(`${name} cannot be fetched: ${packed.output}`);
  const report = JSON.parse(packed.output);
  const [{ filename }] = Array.isArray(report) ? report : Object.values<{ filename: string }>(report);
  const file = join(folder, filename.replace("@", "").replace("/", "-"));
  const unpacked = await run("tar", ["-xzOf", file, "package/package.json"]);
  const manifest = JSON.parse(unpacked.output);
  const needed = Object.entries<string>({ ...manifest.dependencies });
  const others: PackedPackage[] = [];
  for (const [other, range] of needed) others.push(...(await fetched(other, range)));
  const own = { name, version: manifest.version, manifest: { ...manifest, optionalDependencies: {} }, file };
  return [
    own,
    ...others.filter((other, index) => others.findIndex(({ name }) => name === other.name) === index),
  ];
}

async function firstAnswer(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const home = stranger.newHome();
  const startedAt = performance.now();
  const child = spawn(join(stranger.folder, "bin/npx"), ["-y", name, ...args], {
    cwd: join(home, "project"),
    env: { ...stranger.environment(home), ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (part) => {
    said += part;
  });
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  for await (const line of createInterface({ input: child.stdout })) {
    const took = performance.now() - startedAt;
    if (JSON.parse(line).result?.serverInfo === undefined) throw new Error(`${name} answers ${line}`);
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.stdin.end();
    child.kill("SIGTERM");
    await ended;
    return took;
  }
  throw new Error(`${name} ended without an answer:\n${said}`);
}

function print(contenders: readonly Contender[]): void {
  console.log(
    `\n| ${RUNS} runs | median | least to most | packages | to download |\n|---|---:|---:|---:|---:|`,
  );
  for (const { name, bytes, packages, took } of contenders) {
    const seconds = (ms: number) => (ms / 1_000).toFixed(2);
    const spread = `${seconds(Math.min(...took))}–${seconds(Math.max(...took))}`;
    console.log(
      `| \`npx ${name}\` | ${seconds(median(took))} s | ${spread} | ${packages} | ${(bytes / 1e6).toFixed(1)} MB |`,
    );
  }
}
