import { describe, expect, test } from "vitest";
import { gameProject, value } from "./game-project.ts";
import { realGodot } from "./real-godot.ts";

const MAIN = `extends Node2D

var heard := []


func _ready() -> void:
	_map("fire", _key(KEY_F))
	_map("pad", _pad(JOY_BUTTON_X))
	_map("steer", _axis(JOY_AXIS_LEFT_X, -1.0))
	_map("click", _mouse(MOUSE_BUTTON_RIGHT))
	InputMap.add_action("bare")
	for action: String in ["fire", "pad"]:
		var event := InputEventAction.new()
		event.action = action
		_button(action, event, Vector2(0, 0))
	_button("S", _with_ctrl(_key(KEY_S)), Vector2(0, 100))
	_button("corner", null, Vector2(1000, 500))


func _map(name: String, event: InputEvent) -> void:
	InputMap.add_action(name)
	InputMap.action_add_event(name, event)


func _key(code: Key) -> InputEventKey:
	var event := InputEventKey.new()
	event.physical_keycode = code
	return event


func _with_ctrl(event: InputEventKey) -> InputEventKey:
	event.keycode = event.physical_keycode
	event.physical_keycode = KEY_NONE
	event.ctrl_pressed = true
	return event


func _pad(button: JoyButton) -> InputEventJoypadButton:
	var event := InputEventJoypadButton.new()
	event.button_index = button
	return event


func _axis(axis: JoyAxis, value: float) -> InputEventJoypadMotion:
	var event := InputEventJoypadMotion.new()
	event.axis = axis
	event.axis_value = value
	return event


func _mouse(button: MouseButton) -> InputEventMouseButton:
	var event := InputEventMouseButton.new()
	event.button_index = button
	return event


func _button(text: String, event: InputEvent, at: Vector2) -> void:
	var button := Button.new()
	button.name = "Button" + text
	button.position = at
	button.size = Vector2(50, 50)
	if event != null:
		button.shortcut = Shortcut.new()
		button.shortcut.events = [event]
	button.pressed.connect(func() -> void: heard.append("pressed " + text))
	add_child(button)


func _input(event: InputEvent) -> void:
	if event is InputEventScreenTouch:
		heard.append("touch %d %s %s" % [event.index, event.position, event.pressed])
	if event is InputEventScreenDrag:
		heard.append("drag %s" % event.position)
	if event is InputEventMouseMotion and event.button_mask == MOUSE_BUTTON_MASK_LEFT and event.device >= 0:
		heard.append("mouse drag %s" % event.position)


func _process(_delta: float) -> void:
	for action: String in ["fire", "pad", "steer", "click", "bare"]:
		if Input.is_action_just_pressed(action):
			heard.append("%s %.1f" % [action, Input.get_action_strength(action)])
`;

describe.skipIf(realGodot === undefined)("inputs of a game", () => {
  test("an action does what its key, button or axis would, also for the shortcut of a button", async () => {
    const game = value(await gameProject(realGodot, { "main.gd": MAIN }).start());
    const heard = async (events: Parameters<typeof game.input>[0]) => {
      value(await game.evaluate("heard.clear()"));
      value(await game.input(events));
      return value(await game.evaluate("heard"));
    };
    expect(await heard([{ kind: "action", name: "fire" }])).toEqual(
      expect.arrayContaining(["pressed fire", "fire 1.0"]),
    );
    expect(await heard([{ kind: "action", name: "pad" }])).toEqual(
      expect.arrayContaining(["pressed pad", "pad 1.0"]),
    );
    expect(await heard([{ kind: "action", name: "steer" }])).toEqual(["steer 1.0"]);
    expect(await heard([{ kind: "action", name: "steer", strength: 0.7 }])).toEqual(["steer 0.7"]);
    expect(await heard([{ kind: "action", name: "click" }])).toEqual(["click 1.0"]);
    expect(await heard([{ kind: "action", name: "bare", strength: 0.5 }])).toEqual(["bare 0.5"]);
    for (const key of ["ctrl+s", "Ctrl + S", "CTRL+S"])
      expect(await heard([{ kind: "key", key }])).toEqual(["pressed S"]);
  });

  test("come from gamepads and fingers too, anywhere in the window of a game without a display", async () => {
    const game = value(await gameProject(realGodot, { "main.gd": MAIN }).start());
    const heard = async (events: Parameters<typeof game.input>[0]) => {
      value(await game.evaluate("heard.clear()"));
      value(await game.input(events));
      return value(await game.evaluate("heard"));
    };
    expect(await heard([{ kind: "pad", button: "x" }])).toEqual(expect.arrayContaining(["pad 1.0"]));
    expect(await heard([{ kind: "pad", axis: "left_x", value: -1 }])).toEqual(["steer 1.0"]);
    value(await game.input([{ kind: "pad", axis: "left_x", value: 0.5, pressed: true }]));
    expect(value(await game.evaluate("Input.get_joy_axis(0, 0)"))).toBe(0.5);
    expect(await heard([{ kind: "button", x: 1010, y: 510 }])).toEqual(["pressed corner"]);
    expect(await heard([{ kind: "touch", x: 1010, y: 510 }])).toEqual(
      expect.arrayContaining([
        "touch 0 (1010.0, 510.0) true",
        "touch 0 (1010.0, 510.0) false",
        "pressed corner",
      ]),
    );
    expect(await heard([{ kind: "touch", x: 100, y: 300, toX: 130, toY: 300, hold: 3, finger: 1 }])).toEqual([
      "touch 1 (100.0, 300.0) true",
      "drag (110.0, 300.0)",
      "drag (120.0, 300.0)",
      "drag (130.0, 300.0)",
      "touch 1 (130.0, 300.0) false",
    ]);
    expect(await heard([{ kind: "button", x: 100, y: 300, toX: 120, toY: 320, hold: 2 }])).toEqual([
      "mouse drag (110.0, 310.0)",
      "mouse drag (120.0, 320.0)",
    ]);
    expect(await game.input([{ kind: "pad", button: "trigger" }])).toMatchObject({
      failure: { code: "E_SCHEMA_VALIDATION", message: expect.stringContaining("events[0]") },
    });
  });
});
