import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fuzz } from "@toolpact/contract/testing";
import { expect, onTestFinished, test } from "vitest";
import { readSettings } from "../src/config/settings.ts";
import { errors } from "../src/errors.ts";
import { createServer } from "../src/server/server.ts";
import { manifest } from "./declared-codes.ts";
import { SAMPLE_CALLS } from "./sample-calls.ts";
import { childEnvironment, GAME, writeFiles } from "./server-project.ts";

test("every tool answers hostile arguments in the envelope, with a code that it declares", async () => {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "godot-hostile-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = path.join(base, "game");
  writeFiles(root, GAME);
  mkdirSync(path.join(base, "home"));
  const settings = readSettings({
    flags: { project: root, godot: "", toolsets: "all", trust: true },
    env: {},
  });
  if (!settings.ok) throw new Error(settings.failure.message);
  const bugs: string[] = [];
  const server = await createServer({
    settings: settings.value,
    env: childEnvironment(base),
    cwd: base,
    onBug: (message) => void bugs.push(message),
  });
  if (!server.ok) throw new Error(server.failure.message);
  onTestFinished(server.value.close);
  const samples = Object.fromEntries(
    Object.entries(Object.groupBy(SAMPLE_CALLS, ({ tool }) => tool)).map(([tool, calls = []]) => [
      tool,
      calls.map(({ args }) => args),
    ]),
  );
  const { findings, calls } = await fuzz(server.value.app, {
    errors,
    manifest: manifest(),
    samples,
    callsPerTool: 60,
    // Waiting for an editor takes 30 s unless the call says otherwise.
    patienceMs: 40_000,
  });
  expect(findings).toEqual([]);
  expect(bugs).toEqual([]);
  expect(calls).toBeGreaterThan(500);
});
