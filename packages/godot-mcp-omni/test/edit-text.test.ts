import { describe, expect, it } from "vitest";
import { GAME, openTestServer } from "./server-project.ts";

describe("an edit of a text file", () => {
  it("replaces once if the new text contains the searched text", async () => {
    const { call, read } = openTestServer();
    await call("godot_code", {
      action: "file.edit",
      path: "res://player.gd",
      find: "speed",
      replace: "speed_speed",
    });
    expect(read("player.gd")).toContain("var speed_speed: float");
  });

  it("takes $1 for a group of an expression, and for itself in plain text", async () => {
    const { call, read } = openTestServer();
    await call("godot_code", {
      action: "file.edit",
      path: "res://player.gd",
      find: "var (\\w+): float",
      replace: "var $1_x: float",
      regex: true,
    });
    expect(read("player.gd")).toContain("var speed_x: float");
    await call("godot_code", {
      action: "file.edit",
      path: "res://player.gd",
      find: "pass",
      replace: "print('$1')",
    });
    expect(read("player.gd")).toContain("print('$1')");
  });

  it("is stopped if its regular expression takes too long", async () => {
    const { call } = openTestServer({ files: { ...GAME, "long.txt": `${"a".repeat(40)}!` } });
    expect(
      await call("godot_code", {
        action: "file.edit",
        path: "res://long.txt",
        find: "^(a+)+$",
        replace: "",
        regex: true,
      }),
    ).toMatchObject({ ok: false, error: { code: "E_TIMEOUT", retryable: true } });
  });

  it("is refused when Godot could not read the scene it leaves", async () => {
    const { call, read } = openTestServer();
    expect(
      await call("godot_code", {
        action: "file.edit",
        path: "res://main.tscn",
        find: "Vector2(3, 4)",
        replace: "Vector2(3",
      }),
    ).toMatchObject({ ok: false });
    expect(read("main.tscn")).toBe(GAME["main.tscn"]);
  });
});
