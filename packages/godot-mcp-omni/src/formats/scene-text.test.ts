import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { finish } from "./document.ts";
import { SceneText, setTextField, textField, valueIn } from "./scene-text.ts";

const text = `[gd_scene format=3]

[ext_resource type="Script" path="res://x.gd" id="1_a"]

[node name="Root" type="Node2D"]
script = ExtResource("1_a")

[node name="Child" type="Node2D" parent="."]

[connection signal="a" from="." to="." method="b"]
`;

function scene(source = text): SceneText {
  const parsed = SceneText.parse(source);
  if (!parsed.ok) throw new Error(parsed.failure.message);
  return parsed.value;
}

describe("a scene's text", () => {
  it("gets a new node between others, with the blank lines Godot writes", () => {
    const changed = scene();
    changed.insert(changed.tagged("node")[1], 'node name="New" type="Node" parent="."', [["a", "1"]]);
    expect(changed.write()).toBe(
      text.replace("[connection", '[node name="New" type="Node" parent="."]\na = 1\n\n[connection'),
    );
  });

  it("gets a new node at its end", () => {
    const short = text.slice(0, text.indexOf("\n[connection"));
    const changed = scene(short);
    changed.insert(changed.tagged("node")[1], 'node name="New" type="Node" parent="."');
    expect(changed.write()).toBe(`${short}\n[node name="New" type="Node" parent="."]\n`);
  });

  it("keeps resources and connections close together", () => {
    const changed = scene();
    changed.insert(
      changed.tagged("ext_resource")[0],
      'ext_resource type="Script" path="res://y.gd" id="2_b"',
    );
    changed.insert(changed.tagged("connection")[0], 'connection signal="c" from="." to="." method="d"');
    expect(changed.write()).toBe(
      `${text.replace('id="1_a"]\n', 'id="1_a"]\n[ext_resource type="Script" path="res://y.gd" id="2_b"]\n')}[connection signal="c" from="." to="." method="d"]\n`,
    );
  });

  it.each([
    text,
    text.trimEnd(),
    text.replaceAll("\n", "\r\n"),
    text.slice(0, text.indexOf("\n[connection")),
  ])("is as it was when a block goes in and out again", (source) => {
    for (const after of scene(source).blocks.keys()) {
      const changed = scene(source);
      const block = changed.insert(changed.blocks[after], 'node name="New" type="Node" parent="."');
      changed.remove(block);
      expect(changed.write().trimEnd()).toBe(source.trimEnd());
    }
  });

  it("keeps the comments of a removed block", () => {
    const changed = scene(text.replace("[connection", "; why it is so\n[connection"));
    const child = changed.tagged("node")[1];
    if (child === undefined) throw new Error("no child");
    changed.remove(child);
    expect(changed.write()).toContain("; why it is so\n");
  });

  it("sets a value in place, or below the others", () => {
    const changed = scene();
    const root = changed.tagged("node")[0];
    if (root === undefined) throw new Error("no root");
    changed.set(root, "script", "null");
    changed.set(root, "position", "Vector2(1, 2)");
    setTextField(root, "name", 'A "B"');
    expect(textField(root, "name")).toBe('A "B"');
    expect(valueIn(root, "position")).toBe("Vector2(1, 2)");
    expect(changed.write()).toContain(
      '[node name="A \\"B\\"" type="Node2D"]\nscript = null\nposition = Vector2(1, 2)\n\n[node',
    );
    changed.unset(root, "script");
    expect(valueIn(root, "script")).toBeUndefined();
  });
});

describe("a scene that is parsed like another version of it", () => {
  const pieces = [
    ...[
      "[",
      "]",
      '"',
      "\n",
      "\n\n",
      "; c\n",
      "a = 1\n",
      "a = 1",
      "a =\n",
      'a = "x\n[y]\n"\n',
      "{",
      "}",
      " ",
      "\\",
    ],
    ...[
      '[node name="N"]',
      '[node name="N" type="Node"]\n',
      "b = [\n1,\n2]\n",
      "\r\n",
      "\uFEFF",
      "= ",
      ",",
      "(",
      ")",
    ],
  ];
  const cut = fc.record({
    at: fc.nat(),
    length: fc.nat(40),
    put: fc.array(fc.constantFrom(...pieces), { maxLength: 4 }),
  });
  const LONG = `${text.replace("[connection", 'data = {\n"a": [1,\n2]\n}\n\n; why\n[connection')}\n[editable path="A"]\n`;
  const changing = (source: string, cuts: readonly { at: number; length: number; put: string[] }[]) =>
    cuts.reduce((changed, { at, length, put }) => {
      const from = at % (changed.length + 1);
      return changed.slice(0, from) + put.join("") + changed.slice(from + length);
    }, source);
  const partsOf = (parsed: ReturnType<typeof SceneText.parse>) => (parsed.ok ? parsed.value : parsed.failure);

  it("is as if it was parsed by itself", () => {
    const cuts = fc.array(cut, { maxLength: 3 });
    fc.assert(
      fc.property(
        fc.constantFrom(LONG, LONG.trimEnd(), LONG.replaceAll("\n", "\r\n")),
        cuts,
        cuts,
        (source, before, after) => {
          const one = SceneText.parse(changing(source, before));
          fc.pre(one.ok);
          const whole = one.ok ? one.value : undefined;
          const other = changing(source, [...before, ...after]);
          expect(partsOf(finish(SceneText.parsing(other, whole)))).toEqual(partsOf(SceneText.parse(other)));
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it("shares the blocks that have not changed", () => {
    const one = scene(LONG);
    const other = finish(SceneText.parsing(LONG.replace("Child", "Kid"), one));
    const shared = other.ok ? other.value.blocks.map((block) => one.blocks.includes(block)) : [];
    expect(shared).toEqual([true, true, true, false, true, true]);
  });
});
