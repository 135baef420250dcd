import { expect, it } from "vitest";
import { crashOf } from "./crash-stack.ts";

it("reads the scripts' trace of a crash, and no trace of an error before it", () => {
  const lines = [
    "SCRIPT ERROR: no such thing",
    "   GDScript backtrace (most recent call first):",
    "       [0] earlier (res://a.gd:3)",
    "hello",
    "handle_crash: Program crashed with signal 11",
    "[1] /usr/bin/godot(+0x65ac42b) [0x55c1f18b342b] (??:0)",
    "-- END OF C++ BACKTRACE --",
    "================================================================",
    "GDScript backtrace (most recent call first):",
    "    [0] test_crashes (res://test_bad.gd:14)",
    "    [1] _call (/opt/package/engine/test_runner.gd:100)",
    "-- END OF GDSCRIPT BACKTRACE --",
  ];
  expect(crashOf(lines, "/opt/package")).toEqual({
    output: ["SCRIPT ERROR: no such thing", "hello", "handle_crash: Program crashed with signal 11"],
    stack: [{ file: "res://test_bad.gd", line: 14, function: "test_crashes" }],
  });
  expect(crashOf(lines.slice(0, 4), "/opt/package").stack).toEqual([]);
});
