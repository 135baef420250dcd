import fc from "fast-check";
import { quote } from "../src/formats/variant.ts";

/** The text of a scene as Godot or a person might have written it: any order of things the format allows. */
export const anySceneText: fc.Arbitrary<string> = fc
  .record({
    eol: fc.constantFrom("\n", "\r\n"),
    header: fc.constantFrom("[gd_scene format=3]", '[gd_scene load_steps=3 format=3 uid="uid://abc123"]'),
    resources: fc.array(anyResource(), { maxLength: 4 }),
    nodes: fc.array(anyNode(), { maxLength: 8 }),
    connections: fc.nat({ max: 2 }),
    endsInNewline: fc.boolean(),
    bom: fc.boolean(),
  })
  .map(({ eol, header, resources, nodes, connections, endsInNewline, bom }) => {
    const lines = [
      header,
      "",
      ...resources.flatMap((resource, index) => resource(index)),
      '[node name="Root" type="Node2D"]',
      "",
      ...nodes.flatMap((node, index) => node(index)),
      ...Array.from(
        { length: connections },
        (_, index) =>
          `[connection signal="ready" from="." to="N${index}" method="_on_ready" flags=3 binds= [1, "x"]]`,
      ),
    ];
    const text = lines.join(eol);
    return `${bom ? "\uFEFF" : ""}${endsInNewline ? `${text}${eol}` : text}`;
  });

type Lines = (index: number) => string[];

function anyResource(): fc.Arbitrary<Lines> {
  return fc.record({ internal: fc.boolean(), assignments: anyAssignments() }).map(
    ({ internal, assignments }) =>
      (index) =>
        internal
          ? [`[sub_resource type="Gradient" id="Gradient_${index}"]`, ...assignments, ""]
          : [`[ext_resource type="Script" path="res://s${index}.gd" id="${index}_x"]`],
  );
}

function anyNode(): fc.Arbitrary<Lines> {
  return fc
    .record({
      parent: fc.nat(),
      groups: fc.array(anyText(), { maxLength: 2 }),
      spaces: fc.constantFrom("", " ", "  "),
      comment: fc.option(fc.stringMatching(/^[ -~]{0,20}$/), { nil: undefined }),
      assignments: anyAssignments(),
    })
    .map(({ parent, groups, spaces, comment, assignments }) => (index) => {
      const above = index === 0 ? "." : parent % index === 0 ? "." : `N${parent % index}`;
      const field = groups.length === 0 ? "" : ` groups=[${groups.map(quote).join(", ")}]`;
      return [
        ...(comment === undefined ? [] : [`; ${comment}`]),
        `[node name="N${index}" type="Node2D" parent=${quote(above)}${field}${spaces}]`,
        ...assignments,
        "",
      ];
    });
}

function anyAssignments(): fc.Arbitrary<string[]> {
  return fc
    .array(
      fc.tuple(
        fc.constantFrom("position", "text", "metadata/a", "libraries/", "tracks/0/keys"),
        anyValueText(),
      ),
      { maxLength: 4 },
    )
    .map((pairs) => pairs.map(([name, value]) => `${name} = ${value}`));
}

function anyValueText(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(
      "null",
      "true",
      "-1.5e-07",
      "inf",
      "Vector2(1, 2.5)",
      'NodePath("../A:b")',
      'ExtResource("0_x")',
    ),
    fc.integer().map(String),
    anyText().map(quote),
    anyText().map((text) => `&${quote(text)}`),
    fc.array(anyText(), { maxLength: 3 }).map((items) => `[${items.map(quote).join(", ")}]`),
    fc
      .array(anyText(), { maxLength: 3 })
      .map((keys) => `{\n${keys.map((key) => `${quote(key)}: [1, {}]`).join(",\n")}\n}`),
    fc.constant('Array[String](["a", "b"])'),
    fc.constant('{ "a": [1, ; why\n2] }'),
    fc
      .uint8Array({ maxLength: 40 })
      .map((bytes) => `PackedByteArray("${Buffer.from(bytes).toString("base64")}")`),
  );
}

function anyText(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string(),
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.constantFrom("a]b", '"', "\\", "x\ny; [z]"),
  );
}
