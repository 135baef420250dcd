import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import type { OkEnvelope } from "@toolpact/contract/internal";
import { describe, expect, test } from "vitest";
import { freePort } from "../../../scripts/free-port.ts";
import { listenForGame } from "../src/game/debugger/listener.ts";
import { displayGodot } from "./display-godot.ts";
import { gameProject, value } from "./game-project.ts";
import { isRunning } from "./is-running.ts";
import { realGodot } from "./real-godot.ts";
import { startStdioServer } from "./stdio-server.ts";

const script = (ready: string, rest = "") => ({
  "main.gd": `extends Node2D\n\n\nfunc _ready() -> void:\n\t${ready.replaceAll("\n", "\n\t")}\n${rest}`,
});

/** A child that leaves the game's process group, as all that Godot starts do. */
const FORKS = {
  "main.gd": `extends Node2D

var child := 0


func _ready() -> void:
	child = OS.create_process("/bin/sleep", ["1000"])
	print("child %d" % child)


func leave() -> void:
	get_tree().quit(3)
`,
};

describe.skipIf(realGodot === undefined)("a game that", () => {
  test("hangs before its first frame is stopped, and its stack tells where it hung", async () => {
    const project = gameProject(realGodot, script("while true:\n\tpass"));
    expect(await project.start({ startMs: 3_000 })).toMatchObject({
      failure: {
        code: "E_TIMEOUT",
        details: { stack: [{ path: "res://main.gd", function: "_ready" }] },
      },
    });
  });

  test("crashes is reported with its signal and last output", async () => {
    const game = value(
      await gameProject(
        realGodot,
        script('await get_tree().create_timer(0.2).timeout\nOS.crash("boom")'),
      ).start(),
    );
    const exit = await game.ended;
    expect(exit.ended).toBe(false);
    expect(exit.signal ?? exit.code).not.toBe(0);
    expect(exit.crash?.join("\n")).toContain("boom");
    expect(game.status().state).toBe("ended");
  });

  test("quits is reported with its exit code, and its output stays", async () => {
    const game = value(await gameProject(realGodot, script('print("bye")\nget_tree().quit(7)')).start());
    expect(await game.ended).toEqual({ code: 7, signal: null, ended: false });
    expect(game.output().lines.map(({ text }) => text)).toContain("bye");
    expect(await game.inspect(".")).toMatchObject({ failure: { code: "E_NOT_CONNECTED" } });
  });

  test("has no such scene, or none at all, is not run", async () => {
    const project = gameProject(realGodot, script("pass"));
    expect(await project.start({ scene: "res://gone.tscn" })).toMatchObject({
      failure: { code: "E_NOT_FOUND", message: "There is no scene res://gone.tscn." },
    });
    const bare = gameProject(realGodot, { "project.godot": "config_version=5\n" });
    expect(await bare.start()).toMatchObject({
      failure: { code: "E_NOT_FOUND", suggestedFix: expect.stringContaining("main_scene") },
    });
  });

  test("floods its output with a million lines takes no more memory, and its errors are still heard", async () => {
    const project = gameProject(
      realGodot,
      script(
        'for line: int in 1000000:\n\tprint("line %d" % line)\npush_error("after the flood")\nprint("dry")',
      ),
    );
    const before = process.memoryUsage().heapUsed;
    const game = value(await project.start());
    value(await game.waitUntil({ expression: "true" }, { timeoutMs: 60_000 }));
    await game.flush();
    expect(game.errors().errors.map(({ message }) => message)).toContain("after the flood");
    expect(game.output({ limit: 5_000 }).lines.length).toBeLessThanOrEqual(2_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 << 20);
    expect(await game.end()).toMatchObject({ ended: true });
  });

  test.each(["is ended", "quits by itself"])(
    "starts processes takes them with it when it %s",
    async (how) => {
      const game = value(await gameProject(realGodot, FORKS).start());
      const child = Number(value(await game.evaluate("child")));
      expect(isRunning(child)).toBe(true);
      if (how === "is ended") await game.end();
      else {
        value(await game.evaluate("leave()"));
        expect(await game.ended).toMatchObject({ code: 3, ended: false });
      }
      await expect.poll(() => isRunning(child)).toBe(false);
      expect(isRunning(game.pid)).toBe(false);
    },
  );

  test("holds a port frees it when it ends", async () => {
    const port = await freePort();
    const project = gameProject(
      realGodot,
      script(`server.listen(${port}, "127.0.0.1")`, "\n\nvar server := TCPServer.new()\n"),
    );
    for (let run = 0; run < 2; run++) {
      const game = value(await project.start());
      expect(value(await game.evaluate("server.is_listening()"))).toBe(true);
      await game.end();
    }
  });

  test("dies during a request makes the request fail", async () => {
    const game = value(await gameProject(realGodot, script("pass")).start());
    const asked = [
      game.evaluate("OS.kill(OS.get_process_id())"),
      game.tree(),
      game.waitUntil({ expression: "false" }),
      game.waitForStop(),
      game.break(),
    ];
    for (const answer of await Promise.all(asked))
      expect(answer).toMatchObject({ failure: { code: "E_NOT_CONNECTED" } });
    expect(await game.ended).toMatchObject({ signal: "SIGKILL", ended: false });
  });

  test("dies at a breakpoint makes the request fail", async () => {
    const game = value(await gameProject(realGodot, script("breakpoint")).start());
    expect(game.status().state).toBe("stopped");
    const asked = [game.locals(0), game.evaluate("1"), game.inspect(".")];
    process.kill(game.pid, "SIGKILL");
    for (const answer of await Promise.all(asked))
      if (!answer.ok) expect(answer).toMatchObject({ failure: { code: "E_NOT_CONNECTED" } });
    expect(await game.ended).toMatchObject({ signal: "SIGKILL" });
    expect(await game.locals(0)).toMatchObject({ ok: false });
  });

  test("is cancelled during its start is stopped", async () => {
    const project = gameProject(realGodot, script("pass"));
    const controller = new AbortController();
    const started = project.start({
      signal: controller.signal,
      onProgress: (_, done) => done === 3 && controller.abort(),
    });
    expect(await started).toMatchObject({ failure: { code: "E_TIMEOUT" } });
  });
});

describe.skipIf(displayGodot === undefined || process.platform !== "linux")("a client that vanishes", () => {
  test("takes its games along, with their displays and all they started, even when the server is killed", async () => {
    const project = gameProject(displayGodot, FORKS);
    const { call, client, pid } = await startStdioServer({
      root: project.folder,
      env: { GODOT_PATH: displayGodot ?? "", ALLOW_GAME_CODE: "true" },
    });
    const run = await call("godot_game", { action: "run", display: "virtual" });
    expect(run, run.summary).toMatchObject({ ok: true, result: { game: "game-1", display: "virtual" } });
    const pids = await call("godot_game", { action: "evaluate", expression: "[OS.get_process_id(), child]" });
    const family = [...pidsIn(pids), ...displaysOf(pid)];
    expect(family).toHaveLength(3);
    expect(family.map(isRunning)).toEqual([true, true, true]);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => family.filter(isRunning), { timeout: 20_000 }).toEqual([]);
    await client.close();
  });

  test("that ends as it should takes its games along", async () => {
    const project = gameProject(displayGodot, FORKS);
    const { call, client } = await startStdioServer({
      root: project.folder,
      env: { GODOT_PATH: displayGodot ?? "", ALLOW_GAME_CODE: "true" },
    });
    await call("godot_game", { action: "run", display: "none" });
    const pids = await call("godot_game", { action: "evaluate", expression: "[OS.get_process_id(), child]" });
    const family = pidsIn(pids);
    await client.close();
    await expect.poll(() => family.filter(isRunning), { timeout: 20_000 }).toEqual([]);
  });
});

test("other connections are dropped, and the game is not disturbed", async () => {
  const listener = await listenForGame();
  const accepted = listener.accept(4242);
  const dial = () => connect(portOf(listener), "127.0.0.1");
  const noise = dial();
  noise.write(Buffer.from("GET / HTTP/1.1\r\n\r\n"));
  await new Promise((resolve) => noise.on("close", resolve));
  const other = dial();
  other.write(greeting(1));
  await new Promise((resolve) => other.on("close", resolve));
  const game = dial();
  game.write(greeting(4242));
  const session = await accepted;
  expect(session.isOpen).toBe(true);
  session.close();
  game.destroy();
});

/** `["set_pid", 1, [pid]]` in Godot's binary values. */
function greeting(pid: number): Buffer {
  const words = [28, 3, 4, 7, 0, 0, 2, 1, 28, 1, 2, pid];
  const body = Buffer.alloc(words.length * 4);
  for (const [index, word] of words.entries()) body.writeUInt32LE(word, index * 4);
  body.write("set_pid\0", 16, "latin1");
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length);
  return Buffer.concat([head, body]);
}

function pidsIn({ result, summary }: OkEnvelope): readonly number[] {
  if (!Array.isArray(result?.value)) throw new Error(summary);
  return result.value.map(Number);
}

/** The X servers that this process started. */
function displaysOf(pid: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => {
      try {
        const status = readFileSync(`/proc/${candidate}/status`, "utf8");
        return status.startsWith("Name:\tXvfb\n") && status.includes(`\nPPid:\t${pid}\n`);
      } catch {
        return false;
      }
    });
}

function portOf({ address }: { readonly address: string }): number {
  return Number(new URL(address).port);
}
