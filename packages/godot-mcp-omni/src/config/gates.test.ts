import { expect, test } from "vitest";
import { readsOnly } from "./gates.ts";

test.each([
  "is_on_floor()",
  "$Player.position.distance_to($Coin.position) < 20",
  'get_tree().get_nodes_in_group("enemies").size() == 0',
  'get_node("A;b = 1").visible and not (count > 3)',
  "position == Vector2(1, 2)",
  "Engine.time_scale <= 1",
  'has_node("Boss") or $Hud/Label.text.contains("won")',
])("%s only reads", (expression) => {
  expect(readsOnly(expression)).toBe(true);
});

test.each([
  'OS.execute("touch", ["x"])',
  'OS.get_environment("HOME")',
  'Engine.get_singleton("OS").get_environment("HOME")',
  "queue_free()",
  "get_tree().quit()",
  'get_tree().call_group("a", "b")',
  "position = Vector2(1, 2)",
  "count += 1",
  "var x = 1",
  "1\nqueue_free()",
  'call("queue_free")',
  'load("res://a.gd").new()',
  "(func(): queue_free()).call()",
  'set("x", 1)',
])("%s does more than read", (expression) => {
  expect(readsOnly(expression)).toBe(false);
});
