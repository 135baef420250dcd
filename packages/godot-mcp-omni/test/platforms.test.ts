import { join } from "node:path";
import { expect, test } from "vitest";
import { knownPid } from "../src/game/guarded-process.ts";
import { cacheFolder } from "../src/godot/environment.ts";
import { killGroup } from "../src/godot/process.ts";
import { trustCommand, userStateFolder } from "../src/project/trust.ts";

/** Differences of Windows and macOS, decided by the platform as an argument. */

test("on Windows the whole tree of a process is ended, because the Godot for consoles only starts the other", () => {
  const started: unknown[] = [];
  killGroup({ pid: 4711 }, "win32", (...call) => started.push(call));
  expect(started).toEqual([
    ["taskkill", ["/pid", "4711", "/t", "/f"], { stdio: "ignore", windowsHide: true }],
  ]);
  killGroup({ pid: undefined }, "win32", (...call) => started.push(call));
  expect(started).toHaveLength(1);
});

test("on Windows the game may connect from another process than the one that was started", () => {
  expect(knownPid({ pid: 7 }, false, "win32")).toBeUndefined();
  expect(knownPid({ pid: 7 }, false, "darwin")).toBe(7);
  expect(knownPid({ pid: 7 }, false, "linux")).toBe(7);
  expect(knownPid({ pid: 7 }, true, "linux")).toBeUndefined();
});

test("the command that trusts a project is quoted for the shell of the platform", () => {
  const program = ["godot-mcp-omni"];
  expect(trustCommand("C:\\Users\\ada\\My Game", program, "win32")).toBe(
    'godot-mcp-omni trust "C:\\Users\\ada\\My Game"',
  );
  expect(trustCommand("C:\\games\\moss", program, "win32")).toBe("godot-mcp-omni trust C:\\games\\moss");
  expect(trustCommand("/Users/ada/Ada's Game", program, "darwin")).toBe(
    "godot-mcp-omni trust '/Users/ada/Ada'\\''s Game'",
  );
});

test("state and cache are in the folders that each platform has for them", () => {
  const windows = { USERPROFILE: "/c/ada", LOCALAPPDATA: "/c/ada/AppData/Local" };
  expect(userStateFolder(windows, "win32")).toBe(join("/c/ada/AppData/Local", "godot-mcp-omni"));
  expect(cacheFolder(windows, "win32")).toBe(join("/c/ada/AppData/Local", "godot-mcp-omni"));
  expect(userStateFolder({ HOME: "/Users/ada" }, "darwin")).toBe(
    join("/Users/ada/Library/Application Support", "godot-mcp-omni"),
  );
  expect(userStateFolder({ HOME: "/home/ada" }, "linux")).toBe(
    join("/home/ada/.local/state", "godot-mcp-omni"),
  );
  expect(userStateFolder({}, "win32")).toBeUndefined();
});
