extends RefCounted
## Records inputs from devices with their frames, in the server's format.

const Inputs := preload("game_inputs.gd")

var inputs: Array[Dictionary] = []


func add(event: InputEvent, frame: int) -> void:
	if event is InputEventKey and not event.echo:
		var code: Key = event.physical_keycode if event.physical_keycode != KEY_NONE else event.keycode
		_add(frame, {"kind": "key", "key": OS.get_keycode_string(code | event.get_modifiers_mask()), "pressed": event.pressed})
	elif event is InputEventAction:
		_add(frame, {"kind": "action", "name": str(event.action), "strength": event.strength, "pressed": event.pressed})
	elif event is InputEventMouseButton and Inputs.BUTTONS.find_key(event.button_index) != null:
		_add(frame, {"kind": "button", "button": Inputs.BUTTONS.find_key(event.button_index), "pressed": event.pressed,
			"x": event.position.x, "y": event.position.y})
	elif event is InputEventJoypadButton:
		_add(frame, {"kind": "pad", "button": event.button_index, "device": event.device, "pressed": event.pressed})
	elif event is InputEventJoypadMotion:
		_add(frame, {"kind": "pad", "axis": event.axis, "value": event.axis_value, "device": event.device, "pressed": true})
	elif event is InputEventScreenTouch:
		_add(frame, {"kind": "touch", "finger": event.index, "pressed": event.pressed, "x": event.position.x, "y": event.position.y})
	elif event is InputEventMouseMotion:
		# Only the last position of several motions in a frame counts.
		if not inputs.is_empty() and inputs[-1].frame == frame and inputs[-1].kind == "move":
			inputs.pop_back()
		_add(frame, {"kind": "move", "x": event.position.x, "y": event.position.y})


func _add(frame: int, input: Dictionary) -> void:
	inputs.append({"frame": frame}.merged(input))
