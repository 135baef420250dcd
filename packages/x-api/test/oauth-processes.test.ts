import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Secret, writeTokenFile } from "../src/oauth/token-file.ts";
import { FakeTokenEndpoint, serveTokenEndpoint } from "./oauth-token-server.ts";

let folder: string;
let path: string;
let endpoint: FakeTokenEndpoint;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "x-api-processes-"));
  path = join(folder, "tokens.json");
  endpoint = new FakeTokenEndpoint();
  const [accessToken, refreshToken] = [new Secret(endpoint.accessToken), new Secret(endpoint.refreshToken)];
  await writeTokenFile(path, { accessToken, refreshToken, expiresAt: 0, scopes: [] });
});
afterEach(() => rm(folder, { recursive: true }));

test.each([2, 8])("%i processes that refresh at once end with one valid token", async (count) => {
  await using server = await serveTokenEndpoint(endpoint);
  expect(await renewTogether(count, server.baseUrl)).toEqual(
    Array(count).fill({ ok: true, value: endpoint.accessToken }),
  );
  await expectOneRefresh();
});

test("processes that find the lock of a killed one end with one valid token", async () => {
  const holder = run("oauth-hold-lock.ts", `${path}.lock`);
  expect(await holder.line()).toBe("held");
  holder.process.kill("SIGKILL");
  await once(holder.process, "close");
  expect(await readdir(folder)).toContain("tokens.json.lock");

  await using server = await serveTokenEndpoint(endpoint);
  expect(await renewTogether(3, server.baseUrl)).toEqual(
    Array(3).fill({ ok: true, value: endpoint.accessToken }),
  );
  await expectOneRefresh();
});

async function expectOneRefresh(): Promise<void> {
  expect(endpoint).toMatchObject({ refreshes: 1, reuses: 0 });
  expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({
    access_token: endpoint.accessToken,
    refresh_token: endpoint.refreshToken,
  });
  expect(await readdir(folder)).toEqual(["tokens.json"]);
}

/** All processes run before any of them starts. */
async function renewTogether(count: number, baseUrl: string): Promise<unknown[]> {
  const processes = Array.from({ length: count }, () => run("oauth-renew.ts", baseUrl, path));
  for (const { line } of processes) expect(await line()).toBe("ready");
  for (const { process } of processes) process.stdin?.write("go\n");
  return Promise.all(processes.map(async ({ line }) => JSON.parse(await line())));
}

function run(script: string, ...args: string[]): { process: ChildProcess; line: () => Promise<string> } {
  const file = new URL(`./${script}`, import.meta.url).pathname;
  const child = spawn(process.execPath, ["--conditions=toolpact-source", file, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { process: child, line: async () => String((await lines.next()).value) };
}
