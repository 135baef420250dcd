extends RefCounted
## Runs one test in a new instance of its script, and cleans up after it.

const Check := preload("test_runner_check.gd")

## Extra frames for a check that is still in use after the test.
const LATE_FRAMES := 30

var _tree: SceneTree
var _log: RefCounted


func _init(tree: SceneTree, log: RefCounted) -> void:
	_tree = tree
	_log = log


func run(path: String, test: String) -> Dictionary:
	if _log != null:
		_log.begin()
	var check := Check.new(_tree)
	var started := Time.get_ticks_usec()
	var before := _state()
	var is_held := false
	var instance := _instance(path, check)
	if instance != null:
		var holders := check.get_reference_count()
		for step: String in ["before_each", test, "after_each"]:
			await _call(instance, step, check)
		check.has_ended = true
		holders += _members(instance, check)
		# A coroutine that the test did not await keeps its check until it has finished.
		for turn: int in LATE_FRAMES:
			if check.get_reference_count() <= holders:
				break
			await _tree.process_frame
		is_held = check.get_reference_count() > holders
		_put_away(instance)
	await _restore(before)
	var heard: Dictionary = _log.end() if _log != null else {}
	return heard.merged({
		"failures": check.failures, "skipped": check.skipped, "isHeld": is_held,
		"usec": Time.get_ticks_usec() - started,
		"orphans": int(Performance.get_monitor(Performance.OBJECT_ORPHAN_NODE_COUNT)) - int(before.orphans),
	})


## The reason why a script cannot be loaded is in the log.
func _instance(path: String, check: Check) -> Object:
	var script := load(path) as GDScript
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
		_tree.root.add_child(instance)
	return instance


func _call(instance: Object, method: String, check: Check) -> void:
	if not instance.has_method(method) or (check.skipped != "" and method != "after_each"):
		return
	var wanted := _arguments(instance, method)
	if wanted.required > 1:
		check.fail("%s wants %d arguments, and was not called: it gets one, check." % [method, wanted.required])
		return
	await instance.callv(method, [check].slice(0, mini(wanted.all, 1)))


func _arguments(instance: Object, method: String) -> Dictionary:
	for known: Dictionary in instance.get_script().get_script_method_list():
		if known.name == method:
			return {"all": known.args.size(), "required": known.args.size() - known.default_args.size()}
	var count := instance.get_method_argument_count(method)
	return {"all": count, "required": count}


func _members(instance: Object, check: Check) -> int:
	return instance.get_property_list().filter(func(info: Dictionary) -> bool:
		return info.usage & PROPERTY_USAGE_SCRIPT_VARIABLE and is_same(instance.get(info.name), check)).size()


func _put_away(instance: Object) -> void:
	if instance is Node:
		instance.queue_free()
	elif not instance is RefCounted:
		instance.free()


func _state() -> Dictionary:
	return {
		"children": _tree.root.get_children(), "paused": _tree.paused, "time_scale": Engine.time_scale,
		"orphans": Performance.get_monitor(Performance.OBJECT_ORPHAN_NODE_COUNT),
	}


func _restore(before: Dictionary) -> void:
	_tree.paused = before.paused
	Engine.time_scale = before.time_scale
	for action: StringName in InputMap.get_actions():
		Input.action_release(action)
	var kept: Array = before.children
	for child: Node in _tree.root.get_children():
		if not kept.has(child):
			child.queue_free()
	_tree.current_scene = null
	await _tree.process_frame
