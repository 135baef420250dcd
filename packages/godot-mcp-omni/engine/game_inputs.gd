extends RefCounted
## Converts the server's inputs to events of the engine.

const Failure := preload("../addons/godot_mcp_bridge/failure.gd")
const InputEvents := preload("../addons/godot_mcp_bridge/input_events.gd")

const BUTTONS := {
	"left": MOUSE_BUTTON_LEFT, "right": MOUSE_BUTTON_RIGHT, "middle": MOUSE_BUTTON_MIDDLE,
	"wheel_up": MOUSE_BUTTON_WHEEL_UP, "wheel_down": MOUSE_BUTTON_WHEEL_DOWN,
}
## Keys of a US keyboard other than letters and space, and their characters with Shift.
const PLAIN := "`1234567890-=[]\\;',./"
const SHIFTED := "~!@#$%^&*()_+{}|:\"<>?"
## A tap lasts long enough for a game that reads inputs in its physics ticks.
const TAP_TICKS := 2

static var _last_place := Vector2.ZERO


## A list of `{frames, events}`: how long to wait, and the events to send then.
static func decode_all(list: Array, tree: SceneTree) -> Variant:
	var out := []
	for index: int in list.size():
		var steps: Variant = _decode(list[index], tree)
		if steps is Failure:
			return steps.at("events[%d]" % index)
		out.append_array(steps)
	return out


static func _decode(json: Dictionary, tree: SceneTree) -> Variant:
	var frames := int(json.get("frames", 0))
	match json.get("kind"):
		"key":
			return _presses(json, frames, _key.bind(json))
		"action":
			if not InputMap.has_action(json.name):
				return Failure.unknown("action", json.name, InputMap.get_actions().map(func(a: StringName) -> String: return a))
			return _presses(json, frames, _action.bind(json))
		"button":
			return _presses(json, frames, _button.bind(json, tree))
		"move":
			return [{"frames": frames, "events": [_motion(_place(json, tree))]}]
		"text":
			var out := [{"frames": frames, "events": []}]
			for letter: String in str(json.text):
				out.append({"frames": 0, "events": [_letter(letter, true), _letter(letter, false)]})
			return out
	return Failure.schema("There is no kind of input \"%s\"." % json.get("kind"))


## Pressed, released, or both with some frames in between.
static func _presses(json: Dictionary, frames: int, make: Callable) -> Variant:
	var first: Variant = make.call(json.get("pressed", true))
	if first is Failure:
		return first
	var out := [{"frames": frames, "events": first}]
	if not json.has("pressed"):
		var release := {"frames": int(json.get("hold", 1)), "events": make.call(false)}
		if not json.has("hold"):
			release["ticks"] = TAP_TICKS
		out.append(release)
	return out


static func _key(pressed: bool, json: Dictionary) -> Variant:
	var event: Variant = InputEvents.decode({"type": "key", "key": json.key, "device": 0})
	if event is Failure:
		return event
	# As from a keyboard: physical key, key label and character.
	event.keycode = event.physical_keycode
	event.key_label = event.physical_keycode
	if event.physical_keycode < KEY_SPECIAL and pressed and not event.ctrl_pressed and not event.meta_pressed:
		event.unicode = _written(String.chr(event.physical_keycode), event.shift_pressed)
	event.pressed = pressed
	return [event]


static func _written(key: String, shift: bool) -> int:
	if not shift:
		return key.to_lower().unicode_at(0)
	var index := PLAIN.find(key)
	return (key if index == -1 else SHIFTED[index]).unicode_at(0)


static func _action(pressed: bool, json: Dictionary) -> Array:
	var event := InputEventAction.new()
	event.action = json.name
	event.pressed = pressed
	event.strength = float(json.get("strength", 1.0)) if pressed else 0.0
	return [event]


static func _button(pressed: bool, json: Dictionary, tree: SceneTree) -> Array:
	var event := InputEventMouseButton.new()
	event.button_index = BUTTONS[json.get("button", "left")]
	event.pressed = pressed
	event.position = _place(json, tree)
	event.global_position = event.position
	if pressed:
		event.button_mask = 1 << (event.button_index - 1)
	return [_motion(event.position), event]


static func _motion(place: Vector2) -> InputEventMouseMotion:
	var event := InputEventMouseMotion.new()
	event.position = place
	event.global_position = place
	event.relative = place - _last_place
	_last_place = place
	return event


static func _letter(letter: String, pressed: bool) -> InputEventKey:
	var event := InputEventKey.new()
	event.keycode = OS.find_keycode_from_string(letter.to_upper())
	event.physical_keycode = event.keycode
	event.unicode = letter.unicode_at(0)
	event.pressed = pressed
	return event


## Positions are in pixels of a picture of the game; where the window stretches it, events are scaled.
static func _place(json: Dictionary, tree: SceneTree) -> Vector2:
	var place := Vector2(json.x, json.y)
	if tree.root.content_scale_mode == Window.CONTENT_SCALE_MODE_VIEWPORT:
		return tree.root.get_final_transform() * place
	return place
