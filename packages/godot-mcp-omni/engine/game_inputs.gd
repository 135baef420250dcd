extends RefCounted
## Converts the server's inputs to events of the engine.

const Failure := preload("../addons/godot_mcp_bridge/shared/failure.gd")
const InputEvents := preload("../addons/godot_mcp_bridge/shared/input_events.gd")

const BUTTONS := {
	"left": MOUSE_BUTTON_LEFT, "right": MOUSE_BUTTON_RIGHT, "middle": MOUSE_BUTTON_MIDDLE,
	"wheel_up": MOUSE_BUTTON_WHEEL_UP, "wheel_down": MOUSE_BUTTON_WHEEL_DOWN,
}
## Common names; the engine's numbers are accepted too.
const PAD_BUTTONS := {
	"a": JOY_BUTTON_A, "b": JOY_BUTTON_B, "x": JOY_BUTTON_X, "y": JOY_BUTTON_Y,
	"back": JOY_BUTTON_BACK, "guide": JOY_BUTTON_GUIDE, "start": JOY_BUTTON_START,
	"left_stick": JOY_BUTTON_LEFT_STICK, "right_stick": JOY_BUTTON_RIGHT_STICK,
	"left_shoulder": JOY_BUTTON_LEFT_SHOULDER, "right_shoulder": JOY_BUTTON_RIGHT_SHOULDER,
	"up": JOY_BUTTON_DPAD_UP, "down": JOY_BUTTON_DPAD_DOWN, "left": JOY_BUTTON_DPAD_LEFT, "right": JOY_BUTTON_DPAD_RIGHT,
}
const PAD_AXES := {
	"left_x": JOY_AXIS_LEFT_X, "left_y": JOY_AXIS_LEFT_Y, "right_x": JOY_AXIS_RIGHT_X, "right_y": JOY_AXIS_RIGHT_Y,
	"left_trigger": JOY_AXIS_TRIGGER_LEFT, "right_trigger": JOY_AXIS_TRIGGER_RIGHT,
}
## Keys of a US keyboard other than letters and space, and their characters with Shift.
const PLAIN := "`1234567890-=[]\\;',./"
const SHIFTED := "~!@#$%^&*()_+{}|:\"<>?"
## A tap lasts long enough for a game that reads inputs in its physics ticks.
const TAP_TICKS := 2

static var _last_place := Vector2.ZERO
static var _last_touch := Vector2.ZERO


## A list of `{frames, events}`: the delay, and the events to send then.
static func decode_all(list: Array, tree: SceneTree) -> Variant:
	var out := []
	for index: int in list.size():
		var steps: Variant = _decode(list[index], tree)
		if steps is Failure:
			return steps.at("events[%d]" % index)
		for step: Dictionary in steps:
			out.append(step.merged({"index": index}))
	return out


## Without a display the window is tiny, and positions outside it get neither mouse nor touch.
static func fit_window(tree: SceneTree, size := "") -> void:
	if DisplayServer.get_name() != "headless":
		return
	if size != "":
		tree.root.size = Vector2i(size.get_slice("x", 0).to_int(), size.get_slice("x", 1).to_int())
		return
	tree.root.size = Vector2i(ProjectSettings.get_setting("display/window/size/viewport_width"),
			ProjectSettings.get_setting("display/window/size/viewport_height"))


## Sends events like a device.
static func give(events: Array) -> void:
	for event: InputEvent in events:
		Input.parse_input_event(event)
	# Otherwise mouse motion and drags are accumulated until the end of the frame.
	Input.flush_buffered_events()


static func motion_to(place: Vector2, tree: SceneTree) -> Array:
	return [_motion(_place({"x": place.x, "y": place.y}, tree))]


static func action_events(name: String, pressed: bool) -> Array:
	return _action(pressed, {"name": name})


static func _decode(json: Dictionary, tree: SceneTree) -> Variant:
	var frames := int(json.get("frames", 0))
	match json.get("kind"):
		"key":
			return _presses(json, frames, _key)
		"action":
			if not InputMap.has_action(json.name):
				return Failure.unknown("action", json.name, InputMap.get_actions().map(func(a: StringName) -> String: return a))
			return _presses(json, frames, _action)
		"button":
			return _presses(json, frames, _button.bind(tree))
		"pad":
			return _presses(json, frames, _pad)
		"touch":
			return _presses(json, frames, _touch.bind(tree))
		"move":
			return [{"frames": frames, "events": [_motion(_place(json, tree))]}]
		"click", "walk":
			# The screen is inspected only when its turn comes.
			return [{"frames": frames, "events": [], "act": json}]
		"text" when json.has("node"):
			return [{"frames": frames, "events": [], "act": {"kind": "type", "node": json.node, "letters": json.text}}]
		"text":
			var out := [{"frames": frames, "events": []}]
			for letter: String in str(json.text):
				out.append({"frames": 0, "events": [_letter(letter, true), _letter(letter, false)]})
			return out
	return Failure.schema("There is no kind of input \"%s\"." % json.get("kind"))


## Pressed, released, or both with some frames in between, in which it may be dragged.
static func _presses(json: Dictionary, frames: int, make: Callable) -> Variant:
	var first: Variant = make.call(json.get("pressed", true), json)
	if first is Failure:
		return first
	var out := [{"frames": frames, "events": first}]
	if json.has("pressed"):
		return out
	var hold := int(json.get("hold", 1))
	if json.has("toX"):
		hold = maxi(hold, 1)
		var to := {"x": json.toX, "y": json.toY}
		for step: int in hold:
			var share := (step + 1.0) / hold
			var at := {"x": lerpf(json.x, to.x, share), "y": lerpf(json.y, to.y, share), "dragged": true}
			out.append({"frames": 1, "events": make.call(true, json.merged(at, true))})
		out.append({"frames": 1, "events": make.call(false, json.merged(to, true))})
		return out
	var release := {"frames": hold, "events": make.call(false, json)}
	if not json.has("hold"):
		release["ticks"] = TAP_TICKS
	out.append(release)
	return out


static func _key(pressed: bool, json: Dictionary) -> Variant:
	var names := Array(str(json.key).split("+")).map(func(part: String) -> String: return part.strip_edges())
	var event: Variant = InputEvents.decode({"type": "key", "key": "+".join(names), "device": 0})
	return event if event is Failure else [_typed(event, pressed)]


## Like a keyboard: key, physical key, key label and character.
static func _typed(event: InputEventKey, pressed: bool) -> InputEventKey:
	var code: Key = event.physical_keycode if event.keycode == KEY_NONE else event.keycode
	event.keycode = code
	if event.physical_keycode == KEY_NONE:
		event.physical_keycode = code
	event.key_label = code
	if code < KEY_SPECIAL and pressed and not event.ctrl_pressed and not event.meta_pressed:
		event.unicode = _written(String.chr(code), event.shift_pressed)
	event.pressed = pressed
	return event


static func _written(key: String, shift: bool) -> int:
	if not shift:
		return key.to_lower().unicode_at(0)
	var index := PLAIN.find(key)
	return (key if index == -1 else SHIFTED[index]).unicode_at(0)


## The events of the action, because an action event alone triggers no shortcut and types into no text field.
static func _action(pressed: bool, json: Dictionary) -> Array:
	var strength := float(json.get("strength", 1.0)) if pressed else 0.0
	for mapped: InputEvent in InputMap.action_get_events(json.name):
		if json.has("strength") and not mapped is InputEventJoypadMotion:
			continue
		var event: InputEvent = mapped.duplicate()
		event.device = maxi(event.device, 0)
		if event is InputEventKey:
			return [_typed(event, pressed)]
		if event is InputEventMouseButton:
			return [_clicked(event, _last_place, pressed)]
		if event is InputEventJoypadButton:
			event.pressed = pressed
			event.pressure = strength
			return [event]
		if event is InputEventJoypadMotion:
			# The engine stretches values beyond the dead zone to 0…1.
			var deadzone := InputMap.action_get_deadzone(json.name)
			event.axis_value = signf(event.axis_value) * lerpf(deadzone, 1.0, strength) if pressed else 0.0
			return [event]
	var action := InputEventAction.new()
	action.action = json.name
	action.pressed = pressed
	action.strength = strength
	return [action]


static func _button(pressed: bool, json: Dictionary, tree: SceneTree) -> Array:
	var event := InputEventMouseButton.new()
	event.button_index = BUTTONS[json.get("button", "left")]
	var place := _place(json, tree)
	if json.has("dragged"):
		return [_motion(place, 1 << (event.button_index - 1))]
	return [_motion(place), _clicked(event, place, pressed)]


static func _clicked(event: InputEventMouseButton, place: Vector2, pressed: bool) -> InputEventMouseButton:
	event.pressed = pressed
	event.position = place
	event.global_position = place
	event.button_mask = 1 << (event.button_index - 1) if pressed else 0
	return event


static func _pad(pressed: bool, json: Dictionary) -> Variant:
	var event: InputEvent
	if json.has("axis"):
		var axis: Variant = _of_pad("axis", json.axis, PAD_AXES)
		if axis is Failure:
			return axis
		event = InputEventJoypadMotion.new()
		event.axis = axis
		event.axis_value = float(json.get("value", 1.0)) if pressed else 0.0
	else:
		var button: Variant = _of_pad("button", json.get("button", ""), PAD_BUTTONS)
		if button is Failure:
			return button
		event = InputEventJoypadButton.new()
		event.button_index = button
		event.pressed = pressed
		event.pressure = 1.0 if pressed else 0.0
	event.device = int(json.get("device", 0))
	return [event]


static func _of_pad(what: String, name: Variant, known: Dictionary) -> Variant:
	if name is float or name is int:
		return int(name)
	if known.has(str(name).to_lower()):
		return known[str(name).to_lower()]
	return Failure.schema("A gamepad has no %s \"%s\". It has %s." % [what, name, ", ".join(known.keys())])


static func _touch(pressed: bool, json: Dictionary, tree: SceneTree) -> Array:
	var place := _place(json, tree)
	var finger := int(json.get("finger", 0))
	if json.has("dragged"):
		var drag := InputEventScreenDrag.new()
		drag.index = finger
		drag.position = place
		drag.relative = place - _last_touch
		_last_touch = place
		return [drag]
	var event := InputEventScreenTouch.new()
	event.index = finger
	event.position = place
	event.pressed = pressed
	_last_touch = place
	return [event]


static func _motion(place: Vector2, mask := 0) -> InputEventMouseMotion:
	var event := InputEventMouseMotion.new()
	event.position = place
	event.global_position = place
	event.relative = place - _last_place
	event.button_mask = mask
	_last_place = place
	return event


static func _letter(letter: String, pressed: bool) -> InputEventKey:
	var event := InputEventKey.new()
	event.keycode = OS.find_keycode_from_string(letter.to_upper())
	event.physical_keycode = event.keycode
	event.unicode = letter.unicode_at(0)
	event.pressed = pressed
	return event


## Positions are in screenshot pixels; if the window stretches it, events are scaled.
static func _place(json: Dictionary, tree: SceneTree) -> Vector2:
	var place := Vector2(json.x, json.y)
	if tree.root.content_scale_mode == Window.CONTENT_SCALE_MODE_VIEWPORT:
		return tree.root.get_final_transform() * place
	return place
