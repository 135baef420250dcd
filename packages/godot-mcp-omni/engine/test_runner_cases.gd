extends RefCounted
## Runs one test in a new instance of its script, and puts away what it left behind.

const Check := preload("test_runner_check.gd")

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
	var instance := _instance(path, check)
	if instance != null:
		for step: String in ["before_each", test, "after_each"]:
			await _call(instance, step, check)
		_put_away(instance)
	await _restore(before)
	var heard: Dictionary = _log.end() if _log != null else {}
	return heard.merged({
		"failures": check.failures, "skipped": check.skipped,
		"usec": Time.get_ticks_usec() - started,
		"orphans": int(Performance.get_monitor(Performance.OBJECT_ORPHAN_NODE_COUNT)) - int(before.orphans),
	})


## A script that cannot be loaded has said why to the log.
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
	var wanted := instance.get_method_argument_count(method)
	await instance.callv(method, [check].slice(0, mini(wanted, 1)))


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
