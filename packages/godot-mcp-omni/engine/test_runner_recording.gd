extends RefCounted
## Plays a scene with inputs in given frames, and reads values and pictures in others.

const Failure := preload("../addons/godot_mcp_bridge/failure.gd")
const Clock := preload("game_clock.gd")
const Inputs := preload("game_inputs.gd")
const View := preload("game_view.gd")
const Captured := preload("test_runner_captured.gd")
const Picture := preload("test_runner_picture.gd")

## How long a key or button is held by default.
const TAP_FRAMES := 2

var _tree: SceneTree
var _log: RefCounted
var _clock := Clock.new()
var _start := 0
## Events by frame.
var _due := {}
## A person has closed the window.
var _is_over := false


func _init(tree: SceneTree, log: RefCounted) -> void:
	_tree = tree
	_log = log


func play(params: Dictionary) -> Variant:
	if _log != null:
		_log.begin()
	seed(int(params.seed))
	var opened: Variant = await _open(params.scene)
	if opened is Failure:
		return opened
	for index: int in params.inputs.size():
		var scheduled: Variant = _schedule(params.inputs[index])
		if scheduled is Failure:
			return scheduled.at("inputs[%d]" % index)
	var captured := Captured.new()
	if params.capture:
		_tree.auto_accept_quit = false
		_tree.root.close_requested.connect(func() -> void: _is_over = true)
		_tree.root.window_input.connect(func(event: InputEvent) -> void: captured.add(event, _frame() + 1))
	_tree.physics_frame.connect(func() -> void: _give(_frame() + 1))
	_clock.frame_began.connect(func() -> void: _give(_frame()))
	var values := []
	var pictures := []
	var began := Time.get_ticks_usec()
	while _frame() < int(params.frames) and not _is_over:
		await _clock.frame_ended
		if params.capture:
			# Frames of a fixed length run as fast as possible, but a person plays in real time.
			OS.delay_usec(maxi(0, began + _frame() * 1000000 / int(params.fps) - Time.get_ticks_usec()))
		for check: Dictionary in params.checks:
			if int(check.frame) == _frame():
				values.append(_look(check))
		for picture: Dictionary in params.pictures:
			if int(picture.frame) == _frame():
				await RenderingServer.frame_post_draw
				pictures.append(Picture.take(_tree.root, picture))
	var heard: Dictionary = _log.end() if _log != null else {}
	return heard.merged({
		"frames": _frame(), "values": values, "pictures": pictures, "inputs": captured.inputs,
	})


## The scene's first frame is frame 1.
func _open(path: String) -> Variant:
	if not ResourceLoader.exists(path):
		return Failure.not_found("There is no scene %s." % path)
	Inputs.fit_window(_tree)
	_tree.root.add_child(_clock, false, Node.INTERNAL_MODE_FRONT)
	if _tree.change_scene_to_file(path) != OK:
		return Failure.unsupported("%s cannot be opened." % path, {}, "Look for its errors with godot_diagnostics.")
	while _tree.current_scene == null:
		await _tree.process_frame
	_start = _clock.frame
	return null


func _frame() -> int:
	return _clock.frame - _start


func _schedule(input: Dictionary) -> Variant:
	var steps: Variant = Inputs.decode_all([input], _tree)
	if steps is Failure:
		return steps
	var frame := int(input.frame)
	for step: Dictionary in steps:
		frame += TAP_FRAMES if step.has("ticks") else int(step.frames)
		_due[frame] = _due.get(frame, []) + step.events
	return null


## Sent as from a device: before the physics of the frame, or before its nodes where it has no physics tick.
func _give(frame: int) -> void:
	if not _due.has(frame):
		return
	var events: Array = _due[frame]
	_due.erase(frame)
	Inputs.give(events)


func _look(check: Dictionary) -> Dictionary:
	var view := View.new(_tree)
	var value: Variant = view.evaluate(check.expression, check.get("node", ""))
	if value is Failure:
		return {"index": check.index, "problem": value.message}
	return {"index": check.index, "value": view.encode(value[0])}
