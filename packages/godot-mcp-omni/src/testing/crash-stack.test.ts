import { expect, it } from "vitest";
import { crashOf } from "./crash-stack.ts";

it("reads long lines that a test printed, and frames whose names have spaces", () => {
  const long = [`[0] a${" (:".repeat(200_000)}`, `${" ".repeat(200_000)}x`, "backtrace".repeat(50_000)];
  expect(crashOf(long, "/opt/package")).toEqual({ output: long, stack: [] });
  const crash = ["handle_crash:", "[2] <lambda> (in a, b) (res://a b.gd:7)", "[3] (res://a.gd:1)"];
  expect(crashOf(crash, "/opt/package")).toEqual({
    output: ["handle_crash:", "[3] (res://a.gd:1)"],
    stack: [{ function: "<lambda> (in a, b)", file: "res://a b.gd", line: 7 }],
  });
});

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
