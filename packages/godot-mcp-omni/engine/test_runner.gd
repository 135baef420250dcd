extends SceneTree
## Runs one test after the other, each as the server asks for it, in a new instance of its script.
##
## The project's autoloads are there, its main scene is not, and nothing is added to the project.

var _link: RefCounted
var _log: RefCounted
var _check: GDScript
var _busy := false


func _initialize() -> void:
	var lifeline := Thread.new()
	lifeline.start(_die_with_the_server)


func _process(_delta: float) -> bool:
	if _link == null:
		_begin()
	if _busy:
		return false
	var request: Variant = _link.wait()
	if request == null:
		OS.kill(OS.get_process_id())
		return true
	_busy = true
	_work(request)
	return false


func _begin() -> void:
	# The project's rules for its own scripts do not apply to these.
	var rules: Variant = ProjectSettings.get_setting("debug/gdscript/warnings/enable")
	ProjectSettings.set_setting("debug/gdscript/warnings/enable", false)
	var here: String = get_script().resource_path.get_base_dir()
	_check = load(here.path_join("test_runner_check.gd"))
	# Loggers came with Godot 4.5; without one, what a test prints and which errors it meets are not known.
	if ClassDB.class_exists("Logger"):
		_log = load(here.path_join("test_runner_log.gd")).new()
		OS.call("add_logger", _log)
	_link = load(here.get_base_dir().path_join("addons/godot_mcp_bridge/link.gd")).new()
	ProjectSettings.set_setting("debug/gdscript/warnings/enable", rules)
	_link.dial(int(OS.get_environment("GODOT_MCP_WORKER_PORT")), OS.get_environment("GODOT_MCP_WORKER_TOKEN"), {
		"role": "engine",
		"project": ProjectSettings.globalize_path("res://"),
		"version": Engine.get_version_info().string,
		"pid": OS.get_process_id(),
	})


func _work(request: Dictionary) -> void:
	var params: Dictionary = request.params
	var result: Dictionary = await _run(params.path, params.test)
	_link.send({"id": request.id, "ok": true, "result": result})
	_busy = false


func _run(path: String, test: String) -> Dictionary:
	if _log != null:
		_log.begin()
	var check: RefCounted = _check.new(self)
	var started := Time.get_ticks_usec()
	var before := _state()
	var instance := _instance(path, check)
	if instance != null:
		for step: String in ["before_each", test, "after_each"]:
			await _call(instance, step, check)
		_put_away(instance)
	await _restore(before)
	var heard: Dictionary = _log.end() if _log != null else {}
	return heard.merged({
		"failures": check.failures, "skipped": check.skipped, "checks": check.count,
		"usec": Time.get_ticks_usec() - started,
		"orphans": int(Performance.get_monitor(Performance.OBJECT_ORPHAN_NODE_COUNT)) - int(before.orphans),
	})


## A script that cannot be loaded has said why to the log.
func _instance(path: String, check: RefCounted) -> Object:
	var script: GDScript = load(path) as GDScript
	if script == null or not script.can_instantiate():
		check.fail("%s cannot be loaded." % path)
		return null
	if ClassDB.is_parent_class(script.get_instance_base_type(), "MainLoop"):
		check.fail("%s extends %s, of which a test cannot be made: extend Node or RefCounted." % [
			path, script.get_instance_base_type()])
		return null
	var instance: Object = script.new()
	if instance == null:
		check.fail("%s has an _init that wants arguments." % path)
	elif instance is Node:
		root.add_child(instance)
	return instance


func _call(instance: Object, method: String, check: RefCounted) -> void:
	if not instance.has_method(method) or (check.skipped != "" and method != "after_each"):
		return
	var wanted := instance.get_method_argument_count(method)
	await instance.callv(method, [check].slice(0, mini(wanted, 1)))


func _put_away(instance: Object) -> void:
	if instance is Node and is_instance_valid(instance):
		(instance as Node).queue_free()
	elif not instance is RefCounted:
		instance.free()


func _state() -> Dictionary:
	return {
		"children": root.get_children(), "paused": paused, "time_scale": Engine.time_scale,
		"orphans": Performance.get_monitor(Performance.OBJECT_ORPHAN_NODE_COUNT),
	}


## What a test left behind must not be there for the next.
func _restore(before: Dictionary) -> void:
	paused = before.paused
	Engine.time_scale = before.time_scale
	for action: StringName in InputMap.get_actions():
		Input.action_release(action)
	var kept: Array = before.children
	for child: Node in root.get_children():
		if not kept.has(child):
			child.queue_free()
	current_scene = null
	await process_frame


## The server holds the other end of stdin; when it is gone, so is this process, whatever it is doing.
func _die_with_the_server() -> void:
	while not OS.read_buffer_from_stdin(64).is_empty():
		pass
	OS.kill(OS.get_process_id())
