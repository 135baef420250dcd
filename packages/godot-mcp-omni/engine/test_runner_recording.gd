extends RefCounted
## Plays a scene with inputs in given frames, and reads values and screenshots in others.

const Failure := preload("../addons/godot_mcp_bridge/shared/failure.gd")
const Acts := preload("game_acts.gd")
const Clock := preload("game_clock.gd")
const Inputs := preload("game_inputs.gd")
const View := preload("game_view.gd")
const Captured := preload("test_runner_captured.gd")
const Picture := preload("test_runner_picture.gd")
const Trace := preload("test_runner_trace.gd")

## How long a key or button is held by default.
const TAP_FRAMES := 2

var _tree: SceneTree
var _log: RefCounted
## Called around each frame if several games play together.
var _begin_frame: Callable
var _end_frame: Callable
var _clock := Clock.new()
var _start := 0
## Events by frame.
var _due := {}
## Clicks and walks by frame, which find their position only then.
var _acts_due := {}
var _acts: Acts
var _walks := []
## Why clicks and walks could not be done.
var _problems: Array[String] = []
## The user has closed the window.
var _is_over := false


func _init(tree: SceneTree, log: RefCounted, begin_frame: Callable, end_frame: Callable) -> void:
	_tree = tree
	_log = log
	_begin_frame = begin_frame
	_end_frame = end_frame
	_acts = Acts.new(tree, _clock, View.new(tree))


func play(params: Dictionary) -> Variant:
	if _log != null:
		_log.begin()
	seed(int(params.seed))
	var opened: Variant = await _open(params.scene)
	if opened is Failure:
		return opened
	for input: Dictionary in params.inputs:
		var scheduled: Variant = _schedule(input, int(input.index))
		if scheduled is Failure:
			return scheduled.at("inputs[%d]" % input.index)
	var captured := Captured.new()
	if params.capture:
		_tree.auto_accept_quit = false
		_tree.root.close_requested.connect(func() -> void: _is_over = true)
		_tree.root.window_input.connect(func(event: InputEvent) -> void: captured.add(event, _frame() + 1))
	_tree.physics_frame.connect(func() -> void:
		_give(_frame() + 1)
		_go_on())
	_clock.frame_began.connect(func() -> void: _give(_frame()))
	var values := []
	var pictures := []
	var samples := []
	var trace := []
	var state := {}
	var times := []
	var began := Time.get_ticks_usec()
	var last := began
	# A screenshot is taken after its frame was drawn, which adds to the next one's time.
	var is_after_picture := false
	while _frame() < int(params.frames) and not _is_over:
		if params.inTurns:
			_begin_frame.call()
			last = Time.get_ticks_usec()
		await _clock.frame_ended
		times.append(null if is_after_picture else snappedf((Time.get_ticks_usec() - last) / 1000.0, 0.01))
		is_after_picture = false
		if params.capture:
			# Frames of a fixed length run as fast as possible, but a user plays in real time.
			OS.delay_usec(maxi(0, began + _frame() * 1000000 / int(params.fps) - Time.get_ticks_usec()))
		for check: Dictionary in params.checks:
			if int(check.frame) == _frame():
				if check.has("pixel"):
					await RenderingServer.frame_post_draw
				values.append(_look(check))
		for picture: Dictionary in params.pictures:
			if int(picture.frame) == _frame():
				await RenderingServer.frame_post_draw
				is_after_picture = true
				pictures.append(Picture.take(_tree.root, picture))
		if not params.watch.is_empty():
			samples.append(params.watch.map(_value_of))
		if params.trace:
			trace.append(Trace.numbers_of(_tree))
		if int(params.stateAt) == _frame():
			state = Trace.state_of(_tree)
		if params.inTurns:
			_end_frame.call()
		# Inspection time is not the game's time.
		last = Time.get_ticks_usec()
	var heard: Dictionary = _log.end() if _log != null else {}
	return heard.merged({
		"frames": _frame(), "values": values, "pictures": pictures, "inputs": captured.inputs,
		"samples": samples, "trace": trace, "state": state, "times": times, "problems": _problems,
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


func _schedule(input: Dictionary, index: int) -> Variant:
	var steps: Variant = Inputs.decode_all([input], _tree)
	if steps is Failure:
		return steps
	_schedule_steps(steps, int(input.frame), index)
	return null


func _schedule_steps(steps: Array, from: int, index: int) -> void:
	var frame := from
	for step: Dictionary in steps:
		frame += TAP_FRAMES if step.has("ticks") else int(step.frames)
		_due[frame] = _due.get(frame, []) + step.events
		if step.has("act"):
			_acts_due[frame] = _acts_due.get(frame, []) + [step.act.merged({"index": index})]


## Sends events like a device: before the physics of the frame, or before its nodes if it has no physics tick.
func _give(frame: int) -> void:
	var acts: Array = _acts_due.get(frame, [])
	_acts_due.erase(frame)
	for act: Dictionary in acts:
		var begun: Variant = _acts.walk(act) if act.kind == "walk" else _acts.steps_now(act)
		if begun is Failure:
			_fail(begun, act.index)
		elif act.kind == "walk":
			_walks.append([begun, act.index])
		else:
			_schedule_steps(begun, frame, act.index)
	if not _due.has(frame):
		return
	var events: Array = _due[frame]
	_due.erase(frame)
	Inputs.give(events)


func _go_on() -> void:
	for walk: Array in _walks.duplicate():
		var arrived: Variant = walk[0].turn()
		if arrived is Failure:
			_fail(arrived, walk[1])
		if arrived != null:
			_walks.erase(walk)


func _fail(failure: Failure, index: int) -> void:
	_problems.append("inputs[%d], frame %d: %s" % [index, _frame(), failure.message])


func _value_of(watched: Dictionary) -> Variant:
	var view := View.new(_tree)
	var value: Variant = view.evaluate(watched.expression, watched.get("node", ""))
	return null if value is Failure else view.encode(value[0])


func _look(check: Dictionary) -> Dictionary:
	if check.has("pixel"):
		return _color_at(check)
	var view := View.new(_tree)
	var value: Variant = view.evaluate(check.expression, check.get("node", ""))
	if value is Failure:
		return {"index": check.index, "problem": value.message}
	return {"index": check.index, "value": view.encode(value[0])}


## Red, green and blue of a pixel, each of 255.
func _color_at(check: Dictionary) -> Dictionary:
	var image := _tree.root.get_texture().get_image()
	var at := Vector2i(int(check.pixel.x), int(check.pixel.y))
	if image == null:
		return {"index": check.index, "problem": "The game draws nothing."}
	if not Rect2i(Vector2i.ZERO, image.get_size()).has_point(at):
		return {"index": check.index, "problem": "The picture is of %d by %d pixels." % [image.get_width(), image.get_height()]}
	var color := image.get_pixelv(at)
	return {"index": check.index, "value": [color.r8, color.g8, color.b8]}
