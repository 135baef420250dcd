import { expect, it } from "vitest";
import { readEngineLog } from "./engine-log.ts";

it("reads errors with their place and trace, counts repeats, and keeps the rest", () => {
  const script = [
    "SCRIPT ERROR: Invalid access to property or key 'name' on a base object of type 'Nil'.",
    "   at: _process (res://main.gd:7)",
    "   GDScript backtrace (most recent call first):",
    "       [0] _process (res://main.gd:7)",
  ];
  const log = [
    "hello",
    "ERROR: pushed: a (b)",
    "   at: push_error (core/variant/variant_utility.cpp:1024)",
    "   GDScript backtrace (most recent call first):",
    "       [0] hurt (res://main.gd:4)",
    "       [1] _ready (res://main.gd:2)",
    ...script,
    ...script,
    "WARNING: 2 ObjectDB instances were leaked",
    "   at: cleanup (core/object/object.cpp:2641)",
    "",
  ];
  expect(readEngineLog(log)).toEqual({
    output: ["hello"],
    problems: [
      {
        severity: "error",
        message: "pushed: a (b)",
        file: "res://main.gd",
        line: 4,
        stack: [
          { file: "res://main.gd", line: 4, function: "hurt" },
          { file: "res://main.gd", line: 2, function: "_ready" },
        ],
      },
      expect.objectContaining({ severity: "error", file: "res://main.gd", line: 7, times: 2 }),
      {
        severity: "warning",
        message: "2 ObjectDB instances were leaked",
        file: "core/object/object.cpp",
        line: 2641,
      },
    ],
  });
});
