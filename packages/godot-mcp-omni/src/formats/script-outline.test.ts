import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { csharpOutlineOf, outlineOf } from "./script-outline.ts";
import { uniformsOf } from "./shader-uniforms.ts";

test.each([
  ["@export var speed = 3.0", "speed", "float"],
  ["@export_range(0, 10) var speed: float = 3.0", "speed", "float"],
  ["@export_range(0, max(1, abs(-2))) @warning_ignore('unused') var level := 1", "level", "int"],
  ['@export_enum("a) var b", "c") var kind: int', "kind", "int"],
  ["@export\nvar title: String", "title", "String"],
  ["@export_node_path('Button', 'Label') @onready static var path: NodePath", "path", "NodePath"],
])("the exported variable of %j is found", (code, name, type) => {
  expect([...outlineOf(code).exports]).toMatchObject([[name, { type }]]);
});

/** Enough for an expression of quadratic time to take minutes. */
const LENGTH = 2_000_000;
const long = (part: string) => part.repeat(LENGTH / part.length);

test.each([
  ["annotations", `@export()${" @a()".repeat(5_000)}\n`],
  ["spaces", `@export${long(" ")}`],
  ["open parentheses", `@export${long("(")}`],
  ["arguments", `@export(${long("a, ")})`],
  ["marks in a text", long('"\\')],
  ["lines of annotations", long("@tool\n")],
  ["exports of C#", long("[Export]")],
  ["open exports of C#", long("[Export(")],
  ["open comments", long("/*\n")],
  ["uniforms", long("uniform a b[")],
  ["spaces in a uniform", `uniform a${long("\t")};`],
])(
  "a script with 2 MB of %s does not block the server",
  (_, code) => {
    const read = () => [outlineOf(code), csharpOutlineOf(code), uniformsOf(code, () => undefined)];
    // Only another context can interrupt a regular expression that takes years.
    expect(() => runInNewContext("read()", { read }, { timeout: 120_000 })).not.toThrow();
  },
  300_000,
);
