extends SceneTree
## Plays a project that the server made, in a Godot process that has nothing to do with the server. A task adds play().

var _bad := PackedStringArray()


func _initialize() -> void:
	_begin.call_deferred()


func _begin() -> void:
	root.size = Vector2i(1152, 648)
	change_scene_to_file(ProjectSettings.get_setting("application/run/main_scene", ""))
	await frames(3)
	await play()
	print("CHECKED " + JSON.stringify(_bad))
	quit()


func holds(what: bool, text: String) -> void:
	if not what:
		_bad.append(text)


func frames(count: int) -> void:
	for _frame: int in count:
		await physics_frame


func hold(action: String, count: int) -> void:
	for is_pressed: bool in [true, false]:
		var event := InputEventAction.new()
		event.action = action
		event.pressed = is_pressed
		Input.parse_input_event(event)
		await frames(count if is_pressed else 2)


func click(control: Control) -> void:
	for is_pressed: bool in [true, false]:
		var event := InputEventMouseButton.new()
		event.button_index = MOUSE_BUTTON_LEFT
		event.pressed = is_pressed
		event.position = control.get_global_rect().get_center()
		event.global_position = event.position
		Input.parse_input_event(event)
		await frames(2)


## The visible control with this text.
func shown(text: String) -> Control:
	for node: Node in root.find_children("*", "Control", true, false):
		if "text" in node and node.text == text and (node as Control).is_visible_in_tree():
			return node
	return null


func first(type: String) -> Node:
	var found := root.find_children("*", type, true, false)
	return null if found.is_empty() else found[0]
