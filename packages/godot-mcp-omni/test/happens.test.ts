import { describe, expect, it } from "vitest";
import { openTestServer } from "./server-project.ts";

const FILES = {
  "project.godot":
    'config_version=5\n\n[application]\n\nconfig/name="Coins"\nrun/main_scene="res://level.tscn"\n\n[autoload]\n\nScore="*res://score.gd"\n',
  "score.gd":
    "extends Node\n\nsignal won(points)\n\nvar points := 0\n\n\nfunc add(amount: int) -> void:\n\tpoints += amount # counts\n\tif points == 3:\n\t\twon.emit(points)\n",
  "level.gd":
    'extends Node2D\n\n\nfunc _ready() -> void:\n\tScore.won.connect(_on_won)\n\n\nfunc _on_coin_taken(_body: Node2D) -> void:\n\tScore.add(1)\n\t$Coin.queue_free()\n\n\nfunc _on_won(_points: int) -> void:\n\t$Hud/Label.text = "won"\n\tget_tree().change_scene_to_file("res://end.tscn")\n\n\nfunc unrelated() -> void:\n\tprint("no")\n',
  "hero.gd":
    'extends CharacterBody2D\n\n\nfunc _physics_process(_delta: float) -> void:\n\tif Input.is_action_just_pressed("jump"):\n\t\tjump()\n\n\nfunc jump() -> void:\n\tvelocity.y = -400.0\n\t$Sound.play()\n',
  "level.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://level.gd" id="1"]
[ext_resource type="Script" path="res://hero.gd" id="2"]

[node name="Level" type="Node2D"]
script = ExtResource("1")

[node name="Hero" type="CharacterBody2D" parent="."]
script = ExtResource("2")

[node name="Coin" type="Area2D" parent="."]

[node name="Door" type="Area2D" parent="."]

[connection signal="body_entered" from="Coin" to="." method="_on_coin_taken"]
[connection signal="body_entered" from="Door" to="Hero" method="jump"]
`,
};

async function happens(when: string) {
  const server = openTestServer({ files: FILES });
  const answer = await server.call("godot_understand", { action: "happens", when });
  expect(server.bugs).toEqual([]);
  if (!answer.ok) return answer.error;
  const { steps } = answer.result as {
    steps: { depth: number; kind: string; path: string; line: number; in: string }[];
  };
  return steps.map(
    ({ depth, kind, path, line, in: name }) =>
      `${"  ".repeat(depth)}${kind} ${path.slice(6)}:${line} ${name}`,
  );
}

describe("what happens when", () => {
  it("a signal is emitted: its handler, its calls, the signals they emit, and the scene changes, across files", async () => {
    expect(await happens("Coin.body_entered")).toEqual([
      "handler level.gd:8 _on_coin_taken",
      "  calls level.gd:9 _on_coin_taken",
      "    sets score.gd:9 add",
      "    emits score.gd:11 add",
      "      sets level.gd:14 _on_won",
      "      scene level.gd:15 _on_won",
      "  node level.gd:10 _on_coin_taken",
    ]);
  });

  it("any node emits it: all of their handlers", async () => {
    const steps = await happens("body_entered");
    expect(steps).toContain("handler level.gd:8 _on_coin_taken");
    expect(steps).toContain("handler hero.gd:9 jump");
  });

  it("a signal is connected in a script", async () => {
    expect(await happens("won")).toEqual([
      "handler level.gd:13 _on_won",
      "  sets level.gd:14 _on_won",
      "  scene level.gd:15 _on_won",
    ]);
  });

  it("an input action is pressed", async () => {
    expect(await happens("action:jump")).toEqual([
      "handler hero.gd:4 _physics_process",
      "  calls hero.gd:6 _physics_process",
      "    sets hero.gd:10 jump",
      "    node hero.gd:11 jump",
    ]);
  });

  it("a method is called, and nothing follows what is not there", async () => {
    expect(await happens("unrelated()")).toEqual(["handler level.gd:18 unrelated"]);
    expect(await happens("nope")).toMatchObject({
      code: "E_NOT_FOUND",
      message: 'Nothing in this project follows signal "nope".',
    });
  });
});
