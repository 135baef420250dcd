extends RefCounted
## Answers the server's requests about the running game over the debugger connection.

const Failure := preload("../addons/godot_mcp_bridge/shared/failure.gd")
const Acts := preload("game_acts.gd")
const Code := preload("game_code.gd")
const Clock := preload("game_clock.gd")
const Inputs := preload("game_inputs.gd")
const Reload := preload("game_reload.gd")
const Screen := preload("game_screen.gd")
const View := preload("game_view.gd")

const RULES := "debug/gdscript/warnings/enable"
## The engine drops a message of 8 MiB.
const MAX_ANSWER := 6 << 20
## The engine polls its debugger at script lines, but not at every one.
const LINES_PER_POLL := 2048
const GOODBYE_MSEC := 1000

var _tree: SceneTree
var _clock: Clock
var _view: View
var _reload: Reload
var _cancelled := {}
## Suspends the tree at the end of a frame. The engine's own message does it at another time.
var _suspend: Callable
var _is_heard := false


func _init(tree: SceneTree) -> void:
	_tree = tree
	_clock = Clock.new()
	_view = View.new(tree)
	_reload = Reload.new(tree)


func begin(scene: String) -> void:
	EngineDebugger.register_message_capture("mcp", _on_message)
	var path := scene if scene != "" else str(ProjectSettings.get_setting("application/run/main_scene", ""))
	_tell("mcp:hello", {
		"godot": Engine.get_version_info().string,
		"display": DisplayServer.get_name(),
		"renderer": RenderingServer.get_current_rendering_method() if DisplayServer.get_name() != "headless" else "",
		"scene": path,
	})
	if path == "":
		_refuse(Failure.not_found("The project has no main scene.", {},
				"Name a scene, or set application/run/main_scene."))
		return
	if not ResourceLoader.exists(path):
		_refuse(Failure.not_found("There is no scene %s." % path))
		return
	Inputs.fit_window(_tree)
	# An internal child is not visible among the children of the root.
	_tree.root.add_child.call_deferred(_clock, false, Node.INTERNAL_MODE_FRONT)
	if _tree.change_scene_to_file(path) != OK:
		_refuse(Failure.unsupported("%s cannot be opened." % path, {}, "The errors of the game say why."))
		return
	# By the second frame, the output of the first has been sent.
	_clock.after(2, func() -> void: _tell("mcp:ready", {}))


## Waits until the server has received the output, because a game that ends at once would lose it.
func finish() -> void:
	var until := Time.get_ticks_msec() + GOODBYE_MSEC
	_poll()
	EngineDebugger.send_message("mcp:bye", [])
	while not _is_heard and Time.get_ticks_msec() < until:
		OS.delay_msec(1)
		_poll()


func _poll() -> void:
	for _line: int in LINES_PER_POLL:
		EngineDebugger.line_poll()


func _on_message(message: String, data: Array) -> bool:
	match message:
		"ask":
			_answer(data[0], str(data[1]), JSON.parse_string(data[2]))
		"cancel":
			_cancelled[data[0]] = true
		"bye":
			_is_heard = true
	return true


func _answer(id: int, operation: String, params: Dictionary) -> void:
	var result: Variant = await _run(id, operation, params)
	_cancelled.erase(id)
	var answer: Dictionary
	if result is Dictionary:
		answer = {"id": id, "ok": true, "result": result}
	elif result is Failure:
		answer = result.to_answer(id)
	else:
		answer = Failure.internal("The request ended in a script error.", {}, "The errors of the game say which.") \
				.to_answer(id)
	var text := JSON.stringify(answer)
	if text.length() > MAX_ANSWER:
		text = JSON.stringify(Failure.unsupported("The answer is too long.", {}, "Ask for less.").to_answer(id))
	EngineDebugger.send_message("mcp:answer", [text])


func _run(id: int, operation: String, params: Dictionary) -> Variant:
	match operation:
		"screen":
			return _with_frame(Screen.new(_tree, _view).list(params))
		"tree":
			return _with_frame(_view.tree(params))
		"inspect":
			return _with_frame(_view.inspect(params))
		"set":
			return _with_frame(_view.set_property(params))
		"describe":
			return _view.describe(params.ids)
		"evaluate":
			return _with_frame(await _evaluate(params))
		"rewrite":
			return {"expression": Code.with_paths(params.expression,
					func(path: String) -> String: return "get_node(\"%s\")" % path)}
		"until":
			return await _until(id, params)
		"until_signal":
			return await _until_signal(params)
		"until_node":
			return await _until_node(id, params)
		"last_seen":
			return _last_seen(params)
		"watch":
			return await _watch(id, params)
		"input":
			return await _input(id, params)
		"frames":
			return await _frames(id, params)
		"pause":
			return _pause()
		"frame":
			return _with_frame({})
		"flush":
			await _flush()
			return {}
		"reload_begin":
			return _reload.begin(params.files)
		"reload_end":
			await _flush()
			return _reload.end(params.scenes)
		"screenshot":
			return await _screenshot(params)
		"film":
			return await _film(id, params)
		"monitors":
			return {"monitors": _monitors()}
	return Failure.internal("There is no operation \"%s\"." % operation)


## The engine sends output, and takes changed scripts, between two frames.
func _flush() -> void:
	await _tree.process_frame
	await _tree.process_frame


func _with_frame(result: Variant) -> Variant:
	if result is Dictionary:
		result["frame"] = _clock.frame
	return result


func _evaluate(params: Dictionary) -> Variant:
	var node: String = params.get("node", "")
	var value: Variant = _view.evaluate(params.expression, node)
	if not value is Failure:
		return {"value": _view.encode(value[0])}
	if not value.details.has("unread"):
		return value
	# Godot's expressions lack statements, lambdas and conditions.
	if params.get("now", false):
		return await _view.run_statements(params.expression, node)
	# The project's rules may make errors of what is no mistake here. The engine applies a change when it is idle.
	var rules: Variant = ProjectSettings.get_setting(RULES)
	ProjectSettings.set_setting(RULES, false)
	await _flush()
	var result: Dictionary = await _view.run_statements(params.expression, node)
	ProjectSettings.set_setting(RULES, rules)
	return result


func _until(id: int, params: Dictionary) -> Variant:
	while not _cancelled.has(id):
		var value: Variant = _view.evaluate(params.expression, params.get("node", ""))
		if value is Failure:
			return value
		if value[0]:
			return _with_frame({"value": _view.encode(value[0])})
		await _clock.frame_began
	return Failure.of("E_TIMEOUT", "The wait was given up.")


## A signal with several arguments gives a list of them.
func _until_signal(params: Dictionary) -> Variant:
	var object: Variant = _view.base_of(params.get("node", ""))
	if object is Failure:
		return object
	if not object.has_signal(params.signal):
		return Failure.unknown("signal", params.signal,
				object.get_signal_list().map(func(info: Dictionary) -> String: return info.name))
	var value: Variant = await Signal(object, params.signal)
	return _with_frame({"value": _view.encode(value)})


func _until_node(id: int, params: Dictionary) -> Variant:
	while not _cancelled.has(id):
		var found: Variant = _view.find(params.node)
		if (found is Failure) == params.gone:
			return _with_frame({"value": null if params.gone else _view.encode_path(found)})
		await _clock.frame_began
	return Failure.of("E_TIMEOUT", "The wait was given up.")


## The values that a failed condition compares, or its own value.
func _last_seen(params: Dictionary) -> Dictionary:
	var text := Code.compared_in(params.expression)
	var value: Variant = _view.evaluate(text, params.get("node", ""))
	return {"text": text, "value": null if value is Failure else _view.encode(value[0])}


## Values after all nodes of each frame were processed.
func _watch(id: int, params: Dictionary) -> Variant:
	var rows := []
	while rows.size() < int(params.frames) and not _cancelled.has(id):
		await _clock.frame_ended
		var row := [_clock.frame]
		for expression: String in params.expressions:
			var value: Variant = _view.evaluate(expression, params.get("node", ""))
			# A node may go while it is watched.
			if value is Failure and rows.is_empty():
				return value
			row.append(null if value is Failure else _view.encode(value[0]))
		rows.append(row)
	return _with_frame({"rows": rows})


func _input(id: int, params: Dictionary) -> Variant:
	var steps: Variant = Inputs.decode_all(params.events, _tree)
	if steps is Failure:
		return steps
	if params.get("queue", false):
		if steps.any(func(step: Dictionary) -> bool: return step.has("act")):
			return Failure.unsupported("Clicks by text or node and walks need a game that runs.", {}, "resume it first.")
		_give(id, steps, [])
		return {"frames": [], "frame": _clock.frame}
	var acts := []
	var frames: Variant = await _give(id, steps, acts)
	if frames is Failure:
		return frames
	var out := {"frames": frames, "frame": _clock.frame}
	return out if acts.is_empty() else out.merged({"acts": acts})


## The frames of the steps, or the failure of one that goes by meaning; what became of those is added to `acts`.
func _give(id: int, steps: Array, acts: Array) -> Variant:
	# Inputs are sent at the start of a frame, not between two.
	await _clock.frame_began
	var frames := []
	for step: Dictionary in steps:
		var left: int = step.frames
		while left > 0 and not _cancelled.has(id):
			await _clock.frame_began
			left -= 1
		if step.has("ticks") and not _cancelled.has(id):
			await _clock.wait_ticks(step.ticks)
		frames.append(_clock.frame)
		# After a cancellation, held inputs are released.
		Inputs.give(step.events.filter(func(event: InputEvent) -> bool:
			return not _cancelled.has(id) or event.is_released()))
		if step.has("act") and not _cancelled.has(id):
			var done: Variant = await Acts.new(_tree, _clock, _view).carry_out(step.act,
					func() -> bool: return _cancelled.has(id))
			if done is Failure:
				return done.at("events[%d]" % step.index)
			acts.append(done)
	return frames


func _frames(id: int, params: Dictionary) -> Variant:
	var left := int(params.count)
	while left > 0 and not _cancelled.has(id):
		await _clock.frame_began
		left -= 1
	if params.get("pause", false):
		# After all nodes of this frame were processed.
		await _clock.frame_ended
		_suspend.call()
	return _with_frame({})


## The callable that the engine connects for stepping one frame.
func _pause() -> Variant:
	if not _suspend.is_valid():
		for connection: Dictionary in RenderingServer.get_signal_connection_list(&"frame_post_draw"):
			var callable: Callable = connection.callable
			if callable.get_object() == _tree and callable.get_method() == &"SceneTree::set_suspend":
				_suspend = callable
				RenderingServer.frame_post_draw.disconnect(callable)
	if not _suspend.is_valid():
		return Failure.of("E_TIMEOUT", "The frame was over before the game could be paused.")
	_suspend.call()
	return _with_frame({})


func _screenshot(params: Dictionary) -> Variant:
	if not params.get("now", false):
		await RenderingServer.frame_post_draw
	var image := _tree.root.get_texture().get_image()
	if image == null:
		return Failure.unsupported("The game draws nothing.")
	var whole := image.get_size()
	if image.save_png(params.path) != OK:
		return Failure.disk(params.path, ERR_FILE_CANT_WRITE)
	var scale := minf(1.0, float(params.maxSize) / maxi(whole.x, whole.y))
	if scale < 1.0:
		image.resize(maxi(1, roundi(whole.x * scale)), maxi(1, roundi(whole.y * scale)), Image.INTERPOLATE_BILINEAR)
	return _with_frame({
		"width": whole.x,
		"height": whole.y,
		"shown": {"width": image.get_width(), "height": image.get_height()},
		"png": Marshalls.raw_to_base64(image.save_png_to_buffer()),
	})


## A picture every few frames, each in a file, with the time of the game that it is shown for.
func _film(id: int, params: Dictionary) -> Variant:
	var shots := []
	var passed := 0.0
	for index: int in int(params.frames):
		await RenderingServer.frame_post_draw
		if _cancelled.has(id):
			return Failure.timeout("The film was given up.")
		passed += _tree.root.get_process_delta_time() * 1000.0
		if index % int(params.every) != 0:
			continue
		var image := _tree.root.get_texture().get_image()
		if image == null:
			return Failure.unsupported("The game draws nothing.")
		var scale := minf(1.0, float(params.maxSize) / maxi(image.get_width(), image.get_height()))
		image.resize(maxi(1, roundi(image.get_width() * scale)), maxi(1, roundi(image.get_height() * scale)),
				Image.INTERPOLATE_BILINEAR)
		# All of one kind, which the animated file needs.
		image.convert(Image.FORMAT_RGB8)
		var path := "%s-%d.png" % [params.path, index]
		if image.save_png(path) != OK:
			return Failure.disk(path, ERR_FILE_CANT_WRITE)
		shots.append({"frame": _clock.frame, "path": path, "ms": passed})
		passed = 0.0
	return _with_frame({"shots": shots})


func _monitors() -> Dictionary:
	var out := {}
	for name: String in ClassDB.class_get_enum_constants("Performance", "Monitor"):
		if name != "MONITOR_MAX":
			out[name.to_lower()] = Performance.get_monitor(ClassDB.class_get_integer_constant("Performance", name))
	for name: StringName in Performance.get_custom_monitor_names():
		out[str(name)] = Performance.get_custom_monitor(name)
	return out


func _refuse(failure: Failure) -> void:
	_tell("mcp:failed", failure.to_answer(0).error)


func _tell(message: String, data: Dictionary) -> void:
	EngineDebugger.send_message(message, [JSON.stringify(data)])
