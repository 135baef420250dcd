import { describe, expect, test } from "vitest";
import { plotOf } from "../src/game/plot.ts";
import { ONE_SCENE } from "./one-scene.ts";
import { pixels } from "./pixels.ts";
import { realGodot } from "./real-godot.ts";
import { openTestServer } from "./server-project.ts";

const MAIN = `extends Node2D

signal counted(number: int, name: String)

var count := 0


func _process(_delta: float) -> void:
	count += 1
	position = Vector2(count, 2.5)
	if count % 40 == 0:
		counted.emit(count, "forty")
		print("counted to %d" % count)
	if count % 40 == 10:
		var child := Node.new()
		child.name = "Child"
		add_child(child)
	if count % 40 == 30:
		get_node("Child").free()
`;

async function running() {
  const server = openTestServer({
    files: { ...ONE_SCENE, "main.gd": MAIN },
    flags: { godot: realGodot ?? "" },
  });
  const game = (action: string, args: Record<string, unknown> = {}) =>
    server.call("godot_game", { action, ...args } as never);
  expect(await game("run", { display: "none" })).toMatchObject({ ok: true });
  return game;
}

describe.skipIf(realGodot === undefined)("waiting for a game", () => {
  test("ends with a signal, a node that comes or goes, frames, or a line, with the gate closed", async () => {
    const game = await running();
    const { result: signal } = await game("wait", { signal: "counted" });
    expect(signal).toMatchObject({ game: "game-1", value: [expect.any(Number), "forty"] });
    expect((await game("wait", { node: "Child" })).result).toMatchObject({ value: "/root/Main/Child" });
    expect((await game("wait", { node: "Child", on: false })).result).toMatchObject({ value: null });
    const { result: line } = await game("wait", { line: "counted to" });
    expect(line).toMatchObject({ value: expect.stringMatching(/^counted to \d+$/) });
    // A line that was waited for is not waited for again.
    const { result: next } = await game("wait", { line: "counted to" });
    expect(next?.value).not.toBe(line?.value);
    const { result: before } = await game("wait", { frames: 1 });
    const { result: after } = await game("wait", { frames: 20 });
    expect(Number(after?.frame)).toBeGreaterThanOrEqual(Number(before?.frame) + 20);
    expect(
      (await game("wait", { expression: "count > 5", signal: "counted", node: "/root/Main" })).result,
    ).toMatchObject({
      value: { expression: true, signal: [expect.any(Number), "forty"] },
    });
  });

  test("tells which condition did not come, and what was seen last", async () => {
    const game = await running();
    const late = async (args: Record<string, unknown>) => {
      const { error } = await game("wait", { timeoutMs: 200, ...args });
      expect(error).toMatchObject({ code: "E_TIMEOUT" });
      return error?.message;
    };
    expect(await late({ expression: "count < 0" })).toMatch(
      /^count < 0 did not become true within 200 ms\. The game runs on, at frame \d+\. Last seen: count is \d+\.$/,
    );
    expect(await late({ expression: "count > 1", signal: "visibility_changed" })).toMatch(
      /^The signal visibility_changed did not come within 200 ms\. The game runs on, at frame \d+\.$/,
    );
    expect(await late({ node: "Nobody" })).toMatch(/^The node Nobody did not appear within 200 ms\./);
    expect(await late({ node: "/root/Main", on: false })).toMatch(
      /^The node \/root\/Main did not vanish within/,
    );
    expect(await late({ frames: 30_000 })).toMatch(/^30000 frames did not pass within 200 ms\./);
    expect(await late({ line: "never", frames: 1 })).toMatch(
      /^No line with "never" was printed within 200 ms\./,
    );
    expect(await game("wait", { signal: "countd" })).toMatchObject({
      error: { code: "E_NOT_FOUND", suggestedFix: "Did you mean counted?" },
    });
  });
});

describe.skipIf(realGodot === undefined)("watching values of a game", () => {
  test("answers with a small table of each frame", async () => {
    const game = await running();
    const { result, summary } = await game("watch", {
      expressions: ["count", "position", "count % 7 == 0"],
      frames: 30,
    });
    expect(summary).toBe("3 expressions over 30 frames.");
    expect(result?.columns).toEqual(["frame", "count", "position", "count % 7 == 0"]);
    const rows = result?.rows as [number, number, { x: number }, boolean][];
    expect(rows).toHaveLength(30);
    for (const [index, [frame, count, position, seventh]] of rows.entries()) {
      expect(frame).toBe((rows[0]?.[0] ?? 0) + index);
      expect(count).toBe((rows[0]?.[1] ?? 0) + index);
      expect(position.x).toBe(count);
      expect(seventh).toBe(count % 7 === 0);
    }
    const long = await game("watch", { expressions: ["count", "position"], frames: 900 });
    expect(JSON.stringify(long).length).toBeLessThan(8_000);
    const thinned = long.result?.rows as [number, number][];
    expect((thinned.at(-1)?.[0] ?? 0) - (thinned[0]?.[0] ?? 0)).toBe(899);
    expect(long.warnings).toEqual([expect.stringMatching(/^Every \d+th of 900 frames is shown/)]);
    expect(await game("watch", { expressions: ["nope"] })).toMatchObject({
      error: { code: "E_SCHEMA_VALIDATION" },
    });
    expect(await game("watch", { expressions: ["queue_free()"] })).toMatchObject({
      error: { code: "E_PERMISSION_DENIED" },
    });
  }, 120_000);

  test("is drawn as a PNG with a line for each number", () => {
    const rows = Array.from({ length: 120 }, (_, frame) => [
      frame,
      Math.sin(frame / 10) * 50,
      { x: frame, y: 120 - frame },
      frame % 30 < 15,
      "text",
    ]);
    const png = plotOf(["frame", "velocity.y", "$Player.position", "is_on_floor", "name"], rows as never);
    const picture = pixels(Buffer.from(png));
    expect([picture.width, picture.height]).toEqual([800, 420]);
    expect(picture.at(2, 2)).toEqual([255, 255, 255]);
    // The second panel: one line rises from its lower left corner to its upper right one, the other falls.
    const [blue, red] = [
      [0x1f, 0x5f, 0xbf],
      [0xc0, 0x39, 0x2b],
    ];
    expect([picture.at(97, 246), picture.at(97, 153)]).toEqual([blue, red]);
    expect([picture.at(783, 153), picture.at(783, 246)]).toEqual([blue, red]);
    // Texts are not drawn as numbers, and nothing to draw is a picture as well.
    expect(pixels(Buffer.from(plotOf(["frame", "name"], [[1, "a"]]))).height).toBe(160);
  });
});
