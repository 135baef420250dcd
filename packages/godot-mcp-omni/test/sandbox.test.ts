import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSandbox } from "../src/game/sandbox.ts";
import { gameProject, value } from "./game-project.ts";
import { realGodot } from "./real-godot.ts";
import { openTestServer } from "./server-project.ts";

const hasBubblewrap =
  spawnSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true"]).status === 0;
if (!hasBubblewrap)
  console.warn("\n!!! SKIPPED: there is no bubblewrap that works here, so no game runs in a sandbox.");

it.skipIf(realGodot === undefined)(
  "refuses to start a game without bubblewrap, and to run tests outside of the sandbox",
  async () => {
    const { call } = openTestServer({
      flags: { godot: realGodot ?? "", "sandbox-games": true },
      env: { PATH: "/nowhere" },
    });
    expect(await call("godot_game", { action: "run", display: "none" })).toMatchObject({
      error: { code: "E_UNSUPPORTED", message: expect.stringContaining("bubblewrap") },
    });
    expect(
      await call("godot_recording", { action: "record", path: "res://a.json", frames: 2, inputs: [] }),
    ).toMatchObject({ error: { code: "E_PERMISSION_DENIED", details: { gate: "SANDBOX_GAMES" } } });
  },
  120_000,
);

it.skipIf(process.platform !== "linux").each([
  [":7", ["/tmp/.X11-unix/X7"]],
  [":7.0", ["/tmp/.X11-unix/X7"]],
  [undefined, []],
])("shows a game with the display %s no other display", (display, sockets) => {
  const folder = mkdtempSync(join(tmpdir(), "godot-bwrap-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "bwrap"), "");
  const sandbox = openSandbox({
    env: { PATH: folder, HOME: "/home/somebody" },
    project: "/srv/game",
    home: "/srv/home",
    pictures: "/srv/pictures",
    display,
  });
  if (!sandbox.ok) throw new Error(sandbox.failure.message);
  onTestFinished(() => sandbox.value.close());
  const [, args] = sandbox.value.wrap("/opt/godot", []);
  expect([...new Set(args.filter((arg) => arg.includes("X11")))]).toEqual(sockets);
});

describe.skipIf(!hasBubblewrap || realGodot === undefined)("a game in the sandbox", () => {
  it("reaches no network, and writes the project and user:// alone", async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const project = gameProject(realGodot, {
      "main.gd": `extends Node2D

func _ready() -> void:
	var peer := StreamPeerTCP.new()
	peer.connect_to_host("127.0.0.1", ${port})
	for i in 50:
		peer.poll()
		OS.delay_msec(1)
	_writes(ProjectSettings.globalize_path("res://") + "../beside.txt")
	var seen := {
		"network": peer.get_status() == StreamPeerTCP.STATUS_CONNECTED,
		"project": _writes(ProjectSettings.globalize_path("res://made.txt")),
		"user": _writes("user://made.txt"),
		"system": _writes("/etc/made-by-a-game"),
		"displays": DirAccess.dir_exists_absolute("/tmp/.X11-unix"),
		"home": DirAccess.get_files_at("${process.env.HOME}").size(),
	}
	print(JSON.stringify(seen))

func _writes(path: String) -> bool:
	return FileAccess.open(path, FileAccess.WRITE) != null
`,
    });
    const game = value(
      await project.start({ sandbox: true, env: { ...project.env, HOME: process.env.HOME } }),
    );
    await game.flush();
    const line = game.output().lines.find(({ text }) => text.startsWith("{"));
    expect(JSON.parse(line?.text ?? "null")).toEqual({
      network: false,
      project: true,
      user: true,
      system: false,
      displays: false,
      home: 0,
    });
    expect(connections).toBe(0);
    expect(existsSync(join(project.folder, "made.txt"))).toBe(true);
    expect(existsSync(join(project.folder, "../beside.txt"))).toBe(false);
    expect(value(await game.tree()).nodes.length).toBeGreaterThan(0);
    expect(readFileSync(`/proc/${game.pid}/cmdline`, "utf8")).toContain("bwrap");
    expect(await game.end()).toMatchObject({ ended: true });
  }, 120_000);
});
