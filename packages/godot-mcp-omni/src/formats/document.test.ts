import { describe, expect, it } from "vitest";
import { parseDocument, withField, withoutField, withValue, writeDocument } from "./document.ts";

const scene = `[gd_scene load_steps=2 format=3 uid="uid://abc"]

[ext_resource type="Script" path="res://x.gd" id="1_7ljqm"]

; a comment someone left
[node name="Root" type="Node2D" groups=["a", "b]c"]]
script = ExtResource("1_7ljqm") ; a comment
text = "multi
line ; not a comment [x]
\\"quoted\\""
libraries/ = { "a": [1,
2] }
"odd key" = 1

[connection signal="hit" from="." to="." method="_on" flags=3 unbinds=1 binds= [1, "x"]]
`;

function parsed(text: string, style: "fields" | "names" = "fields") {
  const document = parseDocument(text, style);
  if (!document.ok) throw new Error(document.failure.message);
  return document.value;
}

describe("a document in the format of Godot", () => {
  it.each([scene, scene.replaceAll("\n", "\r\n"), scene.trimEnd(), `\uFEFF${scene}`, "", "\n\n", "[a]"])(
    "is written as it was read",
    (text) => {
      expect(writeDocument(parsed(text))).toBe(text);
    },
  );

  it("is parsed into headings, fields and assignments", () => {
    const { parts } = parsed(scene);
    const headings = parts.filter((part) => part.kind === "heading");
    expect(headings.map((part) => part.tag)).toEqual(["gd_scene", "ext_resource", "node", "connection"]);
    expect(headings[2]?.fields.map(({ name, value }) => [name, value])).toEqual([
      ["name", '"Root"'],
      ["type", '"Node2D"'],
      ["groups", '["a", "b]c"]'],
    ]);
    expect(headings[3]?.fields.at(-1)).toMatchObject({ name: "binds", value: '[1, "x"]' });
    expect(
      parts.filter((part) => part.kind === "assignment").map(({ name, value }) => [name, value]),
    ).toEqual([
      ["script", 'ExtResource("1_7ljqm")'],
      ["text", '"multi\nline ; not a comment [x]\n\\"quoted\\""'],
      ["libraries/", '{ "a": [1,\n2] }'],
      ["odd key", "1"],
    ]);
  });

  it("is parsed as settings, whose headings are names", () => {
    const text = `; Engine configuration file.\nconfig_version=5\n\n[layer names 2d]\n\na/b="x"\n`;
    const document = parsed(text, "names");
    expect(writeDocument(document)).toBe(text);
    expect(document.parts.find((part) => part.kind === "heading")?.tag).toBe("layer names 2d");
  });

  it("changes one field and nothing else", () => {
    const heading = parsed('[node  name="A" groups=["x"] ] ; kept\n').parts[0];
    if (heading?.kind !== "heading") throw new Error("no heading");
    expect(withField(heading, "name", '"B"').text).toBe('[node  name="B" groups=["x"] ] ; kept\n');
    expect(withField(heading, "index", '"1"').text).toBe('[node  name="A" groups=["x"] index="1" ] ; kept\n');
    expect(withoutField(heading, "groups").text).toBe('[node  name="A" ] ; kept\n');
    expect(withoutField(heading, "none")).toBe(heading);
  });

  it("changes one value and keeps the comment on its line", () => {
    const assignment = parsed(scene).parts.find((part) => part.kind === "assignment");
    if (assignment?.kind !== "assignment") throw new Error("no assignment");
    expect(withValue(assignment, "null").text).toBe("script = null ; a comment\n");
  });

  it.each([
    ['[node name="A\n', "a text is not closed", 1],
    ["[node name=\n]", "a value is missing", 2],
    ["[node", "a heading is not closed", 1],
    ['[node name "A"]', "a heading has a field without a value", 1],
    ["\n\nnonsense\n", "a line is neither a heading nor `key = value`", 3],
    ["a = [1, (2]\n", "a bracket closes another's group", 1],
    ["a = [1\n", "a bracket is not closed", 1],
    [`a = ${"[".repeat(300)}`, "brackets are nested deeper than 200", 1],
  ])("%j is refused with its line", (text, message, line) => {
    expect(parseDocument(text, "fields")).toMatchObject({
      ok: false,
      failure: {
        code: "E_UNSUPPORTED",
        message: expect.stringContaining(message),
        details: { line },
      },
    });
  });
});
