import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RawGodotDriver } from "../src/operations/driver.ts";
import type { SceneEdit } from "../src/operations/scene-edit.ts";
import { binaryAt, engineFor, makeProject, START_MS, type TestProject } from "./godot-project.ts";
import { sampleFiles } from "./godot-sample.ts";
import { isRunning } from "./is-running.ts";
import { realGodot } from "./real-godot.ts";
import { STRICT } from "./strict-rules.ts";

const LEVEL = "res://level.tscn";

const SCRIPTS = {
  "loops.gd": "@tool\nextends Node\n\nfunc _init() -> void:\n\twhile true:\n\t\tpass\n",
  "dies.gd": "@tool\nextends Node\n\nfunc _init() -> void:\n\tOS.kill(OS.get_process_id())\n",
};

describe.skipIf(!realGodot)("the warm engine, whatever happens", () => {
  let project: TestProject;
  let engine: RawGodotDriver;
  const undo: (() => void | Promise<void>)[] = [];
  const later = (step: () => void | Promise<void>) => undo.unshift(step);
  const saved = () => readFileSync(project.path("level.tscn"), "utf8");

  beforeAll(async () => {
    project = makeProject({ ...sampleFiles, ...SCRIPTS }, later);
    engine = engineFor(project, binaryAt(realGodot), later);
    expect(await engine.request("scene.tree", { scene: LEVEL })).toMatchObject({ ok: true });
  }, START_MS);

  afterAll(async () => {
    for (const step of undo) await step();
  });

  test(
    "works under rules that make every warning of a script an error",
    async () => {
      const strict = makeProject(sampleFiles);
      const settings = readFileSync(strict.path("project.godot"), "utf8");
      strict.write("project.godot", `${settings}${STRICT}`);
      const other = engineFor(strict, binaryAt(realGodot));
      const edits: SceneEdit[] = [{ kind: "add", type: "Node2D", parent: ".", name: "Strict" }];
      expect(await other.request("scene.edit", { scene: LEVEL, edits })).toMatchObject({ ok: true });
      expect(readFileSync(strict.path("level.tscn"), "utf8")).toContain('name="Strict"');
      expect(readFileSync(strict.path("project.godot"), "utf8")).toContain(STRICT);
    },
    START_MS,
  );

  test.skipIf(process.platform !== "linux")("opens no port, though it is an editor", () => {
    const pid = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .find((name) => commandOf(name).includes(`--path\0${project.folder}\0`));
    expect(pid).toBeDefined();
    const sockets = new Set(
      readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
        const target = readlinkSync(`/proc/${pid}/fd/${fd}`);
        return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? [];
      }),
    );
    const listening = ["tcp", "tcp6"]
      .flatMap((table) => readFileSync(`/proc/${pid}/net/${table}`, "utf8").split("\n").slice(1))
      .map((line) => line.trim().split(/\s+/))
      // State 0A is LISTEN; the tenth column is the socket.
      .filter(([, , , state, , , , , , inode = ""]) => state === "0A" && sockets.has(inode));
    expect(listening).toEqual([]);
  });

  test(
    "a script that never returns is a timeout, and the engine works again",
    async () => {
      const before = saved();
      const hung = await engine.request(
        "scene.edit",
        { scene: LEVEL, edits: [{ kind: "add", type: "Node", script: "res://loops.gd" }] },
        { timeoutMs: 1_000 },
      );
      expect(hung).toMatchObject({ ok: false, failure: { code: "E_TIMEOUT" } });
      expect(saved()).toBe(before);
      expect(await engine.request("scene.tree", { scene: LEVEL })).toMatchObject({ ok: true });
    },
    START_MS,
  );

  test(
    "an engine that dies is a failure that may be retried, and the engine works again",
    async () => {
      const before = saved();
      const died = await engine.request("scene.edit", {
        scene: LEVEL,
        edits: [{ kind: "add", type: "Node", script: "res://dies.gd" }],
      });
      expect(died).toMatchObject({ ok: false, failure: { code: "E_NOT_CONNECTED" } });
      expect(saved()).toBe(before);
      expect(await engine.request("scene.tree", { scene: LEVEL })).toMatchObject({ ok: true });
    },
    START_MS,
  );

  test(
    "a request that is given up leaves the engine usable",
    async () => {
      const controller = new AbortController();
      const asked = engine.request("scene.tree", { scene: LEVEL }, { signal: controller.signal });
      controller.abort();
      expect(await asked).toMatchObject({ ok: false, failure: { code: "E_TIMEOUT" } });
      expect(await engine.request("uid", { path: LEVEL })).toMatchObject({ ok: true });
    },
    START_MS,
  );

  test(
    "starts in an empty project",
    async () => {
      const empty = makeProject({ "project.godot": "config_version=5\n" });
      rmSync(empty.path("addons"), { recursive: true });
      const own = engineFor(empty, binaryAt(realGodot));
      expect(await own.request("scene.create", { scene: "res://first.tscn" })).toMatchObject({ ok: true });
    },
    START_MS,
  );

  test(
    "no engine outlives a server that was killed",
    async () => {
      const code = `
      import { createEngine } from ${JSON.stringify(join(import.meta.dirname, "../src/drivers/engine/engine.ts"))};
      const engine = createEngine(${JSON.stringify({ binary: binaryAt(realGodot), project: project.folder, env: project.env, home: project.home })});
      await engine.request("uid", { path: "res://level.tscn" });
      console.log(engine.process.pid);
    `;
      const server = spawn(
        process.execPath,
        ["--conditions=toolpact-source", "--input-type=module-typescript", "--eval", code],
        { stdio: ["ignore", "pipe", "inherit"] },
      );
      const [line] = await once(server.stdout, "data");
      const pid = Number(String(line));
      expect(isRunning(pid)).toBe(true);
      server.kill("SIGKILL");
      await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
    },
    START_MS,
  );
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // The process has ended.
    return "";
  }
}
