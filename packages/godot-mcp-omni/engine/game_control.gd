extends RefCounted
## Answers the server's requests about the running game over the debugger connection.

const Failure := preload("../addons/godot_mcp_bridge/shared/failure.gd")
const Changes := preload("game_changes.gd")
const Code := preload("game_code.gd")
const Clock := preload("game_clock.gd")
const Inputs := preload("game_inputs.gd")
const Reload := preload("game_reload.gd")
const Screen := preload("game_screen.gd")
const Signals := preload("game_signals.gd")
const Timeline := preload("game_timeline.gd")
const View := preload("game_view.gd")

const RULES := "debug/gdscript/warnings/enable"
## The engine drops a message of 8 MiB.
const MAX_ANSWER := 6 << 20
## The engine polls its debugger at script lines, but not at every one.
const LINES_PER_POLL := 2048
const GOODBYE_MSEC := 1000
const PAUSE_MSEC := 20000

var _tree: SceneTree
var _clock: Clock
var _view: View
var _reload: Reload
var _cancelled := {}
## Inputs of a paused game that nothing awaits; a reference keeps them from being freed.
var _queued: Array[Timeline] = []
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
	var is_paused := OS.get_environment("GODOT_MCP_GAME_PAUSED") == "1"
	if is_paused and not _begin_paused():
		_refuse(Failure.timeout("The game could not be paused at its start."))
		return
	Inputs.fit_window(_tree, OS.get_environment("GODOT_MCP_GAME_SIZE"))
	# An internal child is not visible among the children of the root.
	_tree.root.add_child.call_deferred(_clock, false, Node.INTERNAL_MODE_FRONT)
	if _tree.change_scene_to_file(path) != OK:
		_refuse(Failure.unsupported("%s cannot be opened." % path, {}, "The errors of the game say why."))
		return
	if is_paused:
		await _flush()
		await _flush()
		_tell("mcp:ready", {})
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
		"step":
			return await _step(id, params)
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


## The engine sends output, and reloads changed scripts, between two frames.
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
	# The project's warning settings may turn harmless code into errors. The engine applies a change when it is idle.
	var rules: Variant = ProjectSettings.get_setting(RULES)
	ProjectSettings.set_setting(RULES, false)
	await _flush()
	var result: Dictionary = await _view.run_statements(params.expression, node)
	ProjectSettings.set_setting(RULES, rules)
	return result


func _until(id: int, params: Dictionary) -> Variant:
	var is_going := false
	while not _cancelled.has(id):
		var value: Variant = _view.evaluate(params.expression, params.get("node", ""))
		if value is Failure:
			return _paused_if(params, value)
		if value[0]:
			return _paused_if(params, _with_frame({"value": _view.encode(value[0])}))
		is_going = is_going or _go(params)
		await _clock.frame_ended
	return Failure.of("E_TIMEOUT", "The wait was given up.")


## Returns the arguments of a signal; several as a list.
func _until_signal(params: Dictionary) -> Variant:
	var object: Variant = _view.base_of(params.get("node", ""))
	if object is Failure:
		return object
	if not object.has_signal(params.signal):
		return Failure.unknown("signal", params.signal,
				object.get_signal_list().map(func(info: Dictionary) -> String: return info.name))
	_go(params)
	var value: Variant = await Signal(object, params.signal)
	var came := _clock.frame
	if params.get("pause", false):
		await _clock.frame_ended
	return _paused_if(params, {"value": _view.encode(value), "frame": came})


func _until_node(id: int, params: Dictionary) -> Variant:
	var is_going := false
	while not _cancelled.has(id):
		var found: Variant = _view.find(params.node)
		if (found is Failure) == params.gone:
			return _paused_if(params, _with_frame({"value": null if params.gone else _view.encode_path(found)}))
		is_going = is_going or _go(params)
		await _clock.frame_ended
	return Failure.of("E_TIMEOUT", "The wait was given up.")


## The values that a failed condition compares, or its own value.
func _last_seen(params: Dictionary) -> Dictionary:
	var text := Code.compared_in(params.expression)
	var value: Variant = _view.evaluate(text, params.get("node", ""))
	return {"text": text, "value": null if value is Failure else _view.encode(value[0])}


## Values after all nodes of each frame were processed.
func _watch(id: int, params: Dictionary) -> Variant:
	var rows := []
	_go(params)
	while rows.size() < int(params.frames) and not _cancelled.has(id):
		await _clock.frame_ended
		var row := [_clock.frame]
		for expression: String in params.expressions:
			var value: Variant = _view.evaluate(expression, params.get("node", ""))
			# A node may be freed while it is watched.
			if value is Failure and rows.is_empty():
				return _paused_if(params, value)
			row.append(null if value is Failure else _view.encode(value[0]))
		rows.append(row)
	return _paused_if(params, _with_frame({"rows": rows}))


func _input(id: int, params: Dictionary) -> Variant:
	var timeline := Timeline.new(_tree, _clock, _view)
	var refused := timeline.read(params.events)
	if refused != null:
		return refused
	if params.get("queue", false):
		if timeline.has_acts():
			return Failure.unsupported("Clicks by text or node and walks need a game that runs.", {},
					"Give the events to step, or resume it first.")
		timeline.begin()
		_queued = _queued.filter(func(earlier: Timeline) -> bool: return not earlier.is_over)
		_queued.append(timeline)
		return {"frames": [], "frame": _clock.frame}
	var signals := Signals.new(_tree, _clock)
	timeline.begin()
	while not timeline.is_over:
		await _clock.frame_began
		if _cancelled.has(id):
			timeline.stop()
	signals.stop()
	if timeline.failure != null:
		return timeline.failure
	var out := {"frames": timeline.frames, "frame": _clock.frame}.merged(signals.report())
	return out if timeline.acts.is_empty() else out.merged({"acts": timeline.acts})


## Runs frames with inputs until a condition holds, or as many as asked; without both, until the last input was sent.
func _step(id: int, params: Dictionary) -> Variant:
	var timeline := Timeline.new(_tree, _clock, _view)
	var refused := timeline.read(params.get("events", []))
	if refused != null:
		return _paused_if(params, refused)
	var changes := Changes.new(_tree, _view)
	var signals := Signals.new(_tree, _clock)
	var watched: Array = params.get("expressions", []).map(func(text: String) -> Dictionary: return {"expression": text})
	var met: Variant = null
	var passed := 0
	timeline.begin()
	_go(params)
	while passed < int(params.frames) and not _cancelled.has(id):
		await _clock.frame_ended
		passed += 1
		met = _look(params, watched)
		# In the first frame this is the caller's mistake; later a node may be gone.
		if met is Failure and passed == 1 or timeline.failure != null or met is Array:
			break
		if not params.has("until") and params.get("untilSent", false) and timeline.is_over:
			break
		if params.get("together", false) and passed < int(params.frames):
			# The server runs one frame of the other instances before this one continues.
			_suspend.call()
			_go(params)
	timeline.stop()
	signals.stop()
	if timeline.failure != null or met is Failure and passed == 1:
		return _paused_if(params, timeline.failure if timeline.failure != null else met)
	var out := {"passed": passed, "events": timeline.sent, "changed": changes.report()}
	out.merge(signals.report())
	if params.has("until"):
		out["met"] = met is Array
	if not watched.is_empty():
		out["watched"] = watched
	if not timeline.acts.is_empty():
		out["acts"] = timeline.acts
	return _paused_if(params, _with_frame(out))


## The value of the condition in an array if it holds, null if not, or a failure. Extends the ranges of watched values.
func _look(params: Dictionary, watched: Array) -> Variant:
	var node: String = params.get("node", "")
	for row: Dictionary in watched:
		var value: Variant = _view.evaluate(row.expression, node)
		if value is Failure:
			if not row.has("first"):
				return value
			continue
		var seen: Variant = _view.encode(value[0])
		row["last"] = seen
		row.get_or_add("first", seen)
		if value[0] is float or value[0] is int:
			row["min"] = minf(row.get("min", seen), seen)
			row["max"] = maxf(row.get("max", seen), seen)
	if not params.has("until"):
		return null
	var value: Variant = _view.evaluate(params.until, node)
	if value is Failure:
		return value
	return value if value[0] else null


## Asks the server to let a paused game run, which only its message can do. Returns true, for the caller to record.
func _go(params: Dictionary) -> bool:
	if params.get("pause", false):
		EngineDebugger.send_message("mcp:go", [])
	return true


func _paused_if(params: Dictionary, result: Variant) -> Variant:
	if params.get("pause", false):
		_suspend.call()
	return result


func _frames(id: int, params: Dictionary) -> Variant:
	var left := int(params.count)
	_go(params)
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
	if not _take_suspend():
		return Failure.of("E_TIMEOUT", "The frame was over before the game could be paused.")
	_suspend.call()
	return _with_frame({})


func _take_suspend() -> bool:
	if not _suspend.is_valid():
		for connection: Dictionary in RenderingServer.get_signal_connection_list(&"frame_post_draw"):
			var callable: Callable = connection.callable
			if callable.get_object() == _tree and callable.get_method() == &"SceneTree::set_suspend":
				_suspend = callable
				RenderingServer.frame_post_draw.disconnect(callable)
	return _suspend.is_valid()


## Suspends the tree before the scene exists, so its first frame is the first step. Requested by the server.
func _begin_paused() -> bool:
	var until := Time.get_ticks_msec() + PAUSE_MSEC
	while not _take_suspend():
		if Time.get_ticks_msec() > until:
			return false
		OS.delay_msec(1)
		_poll()
	_suspend.call()
	return true


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


## A screenshot every few frames, each in a file, with its display time.
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
		# The animated file requires a single format.
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
