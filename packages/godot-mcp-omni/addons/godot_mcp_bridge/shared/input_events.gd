@tool
extends RefCounted
## Keys, buttons and axes of the input map.

const Failure := preload("failure.gd")

const TYPES := ["key", "mouse", "joy_button", "joy_axis"]
const MODIFIERS := ["Ctrl", "Shift", "Alt", "Meta"]
## Same as in input-map.ts.
const MODIFIER_NAMES := {
	"ctrl": "ctrl", "control": "ctrl", "shift": "shift", "alt": "alt", "option": "alt",
	"meta": "meta", "cmd": "meta", "command": "meta", "super": "meta", "windows": "meta",
}
## Same as in input-map.ts.
const KEY_ALIASES := {
	"esc": "escape", "return": "enter", "spacebar": "space", "del": "delete", "ins": "insert",
	"pgup": "pageup", "pgdn": "pagedown", "pgdown": "pagedown",
	"leftarrow": "left", "arrowleft": "left", "rightarrow": "right", "arrowright": "right",
	"uparrow": "up", "arrowup": "up", "downarrow": "down", "arrowdown": "down",
}


static func decode(json: Variant) -> Variant:
	if not json is Dictionary:
		return Failure.schema("An event is an object with a \"type\".")
	match json.get("type"):
		"key":
			return _decode_key(json)
		"mouse":
			var mouse := InputEventMouseButton.new()
			mouse.button_index = int(json.get("button", 0)) as MouseButton
			return _for_any_device(mouse, json) if json.get("button", 0) > 0 else _bad("mouse", "a \"button\" from 1")
		"joy_button":
			var button := InputEventJoypadButton.new()
			button.button_index = int(json.get("button", -1)) as JoyButton
			return _for_any_device(button, json) if json.get("button", -1) >= 0 else _bad("joy_button", "a \"button\" from 0")
		"joy_axis":
			var motion := InputEventJoypadMotion.new()
			motion.axis = int(json.get("axis", -1)) as JoyAxis
			motion.axis_value = float(json.get("value", 0.0))
			var complete: bool = json.get("axis", -1) >= 0 and json.get("value", 0) != 0
			return _for_any_device(motion, json) if complete else _bad("joy_axis", "an \"axis\" and a \"value\" of -1 or 1")
	return Failure.unknown("type of event", str(json.get("type")), TYPES, "E_SCHEMA_VALIDATION")


static func encode(event: InputEvent) -> Dictionary:
	if event is InputEventKey:
		var physical: bool = event.keycode == KEY_NONE
		var code: Key = event.physical_keycode if physical else event.keycode
		return {"type": "key", "key": OS.get_keycode_string(code | event.get_modifiers_mask()), "physical": physical}
	if event is InputEventMouseButton:
		return {"type": "mouse", "button": event.button_index}
	if event is InputEventJoypadButton:
		return {"type": "joy_button", "button": event.button_index, "device": event.device}
	if event is InputEventJoypadMotion:
		return {"type": "joy_axis", "axis": event.axis, "value": event.axis_value, "device": event.device}
	return {"type": event.get_class()}


static func _decode_key(json: Dictionary) -> Variant:
	var parts := str(json.get("key", "")).split("+")
	var code := _keycode(parts[-1])
	if code == KEY_NONE:
		return Failure.schema("\"%s\" is no key." % json.get("key"), {},
				"Write it as the engine prints it: Space, A, Left, Ctrl+S.")
	var event := InputEventKey.new()
	for modifier: String in parts.slice(0, -1):
		if not MODIFIER_NAMES.has(modifier.to_lower()):
			return Failure.unknown("modifier", modifier, MODIFIERS, "E_SCHEMA_VALIDATION")
		event.set(MODIFIER_NAMES[modifier.to_lower()] + "_pressed", true)
	if json.get("physical", true):
		event.physical_keycode = code
	else:
		event.keycode = code
	return _for_any_device(event, json)


## The code of a key name as the engine prints it, or in a common spelling: `space`, `KEY_SPACE`, `page_up`, `esc`.
static func _keycode(name: String) -> Key:
	var code := OS.find_keycode_from_string(name)
	if code != KEY_NONE or name.length() < 2:
		return code
	var spaced := name.trim_prefix("KEY_").replace("_", " ").replace("-", " ")
	var folded := spaced.to_lower().replace(" ", "")
	code = OS.find_keycode_from_string(spaced)
	return code if code != KEY_NONE else OS.find_keycode_from_string(KEY_ALIASES.get(folded, folded))


static func _for_any_device(event: InputEvent, json: Dictionary) -> InputEvent:
	event.device = int(json.get("device", -1))
	return event


static func _bad(type: String, needs: String) -> Failure:
	return Failure.schema("An event of type %s needs %s." % [type, needs])
