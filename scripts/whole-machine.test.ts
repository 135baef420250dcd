import { beforeAll, expect, test } from "vitest";
import { chromiumPath } from "../packages/tuitbot-web/test/chromium.ts";
import { builtPackage } from "./build.ts";
import { REAL_CLIENTS } from "./clients/client-table.ts";
import { installClient, installPackages } from "./clients/install-client.ts";
import { runDriver } from "./clients/namespace.ts";
import { MORE_SERVERS, type WholeMachineReport } from "./clients/whole-machine.ts";

const TIMEOUT_MS = 600_000;

beforeAll(async () => {
  for (const name of ["tuitbot", "toolpact"]) await builtPackage(name);
}, TIMEOUT_MS);

test("a published client calls seven published servers behind one gate set up by wrap, and unwrap restores its servers", {
  timeout: TIMEOUT_MS,
}, async ({ skip }) => {
  const client = REAL_CLIENTS.find(({ id }) => id === "gemini-cli");
  if (client === undefined) throw new Error("There is no Gemini CLI in the table.");
  const chromium = chromiumPath();
  const wanted = Object.entries(MORE_SERVERS).map(([name, version]) => `${name}@${version}`);
  const [program, servers] = [
    await installClient(client, client.version),
    await installPackages("whole-machine", wanted),
  ];
  if (chromium === undefined || typeof program === "string" || typeof servers === "string") {
    console.error(`!!! NOT TESTED: ${chromium ?? "there is no Chromium"} ${program} ${servers}`);
    return skip();
  }
  const { ok, output } = await runDriver(
    "whole-machine.ts",
    client.id,
    program.program,
    servers.folder,
    chromium,
  );
  expect(ok, output).toBe(true);
  const report: WholeMachineReport = JSON.parse(output.trim().split("\n").at(-1) ?? "");
  expect(report.results, report.folder).toEqual({
    files: expect.stringContaining("a text of the file"),
    everything: expect.stringContaining("Echo: hello"),
    memory: expect.stringContaining("Ana"),
    browser: expect.stringContaining("A test page"),
    tuitbot: expect.stringContaining("username"),
    thinking: expect.stringContaining("totalThoughts"),
    tasks: expect.stringContaining("req-1"),
  });
  expect(report.servers).toHaveLength(7);
  expect(report.isRestored).toBe(true);
});
