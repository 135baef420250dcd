extends RefCounted
## The object for checks in a test. A failed check is recorded with its values, and the test continues.

const MAX_VALUE_LENGTH := 2000

var failures: Array[Dictionary] = []
var skipped := ""
## Set at the end of the test; later failures come from a call that was not awaited.
var has_ended := false

var _tree: SceneTree


func _init(tree: SceneTree) -> void:
	_tree = tree


func equal(got: Variant, expected: Variant, note := "") -> bool:
	return _that(_same(got, expected), "should be equal", got, expected, note)


func not_equal(got: Variant, unexpected: Variant, note := "") -> bool:
	return _that(not _same(got, unexpected), "should differ", got, unexpected, note)


## Passes if numbers, vectors or colors are approximately equal.
func near(got: Variant, expected: Variant, tolerance := 0.001, note := "") -> bool:
	return _that(_is_near(got, expected, tolerance), "should be within %s" % tolerance, got, expected, note)


func is_true(got: Variant, note := "") -> bool:
	return _that(got is bool and got, "should be true", got, true, note)


func is_false(got: Variant, note := "") -> bool:
	return _that(got is bool and not got, "should be false", got, false, note)


func is_null(got: Variant, note := "") -> bool:
	return _that(got == null, "should be null", got, null, note)


func not_null(got: Variant, note := "") -> bool:
	return got != null or _failed("should not be null", note)


## Passes if a string, array or dictionary contains a value.
func contains(got: Variant, item: Variant, note := "") -> bool:
	var holds: bool = got.contains(str(item)) if got is String or got is StringName else \
		typeof(got) >= TYPE_DICTIONARY and item in got
	return _that(holds, "should contain", got, item, note)


func fail(note: String) -> void:
	_failed(note, "")


## Call it in before_each or first in the test, and return.
func skip(reason: String) -> void:
	skipped = reason if reason != "" else "skipped"


## A new instance of a scene, set as the current scene and freed after the test.
func scene(path: String) -> Node:
	var packed: PackedScene = load(path) as PackedScene
	if packed == null:
		fail("%s is no scene that can be loaded." % path)
		return null
	var node := packed.instantiate()
	_tree.root.add_child(node)
	_tree.current_scene = node
	return node


## `await check.frames(3)`
func frames(number := 1) -> void:
	for turn: int in number:
		await _tree.process_frame


## `await check.physics_frames(3)`
func physics_frames(number := 1) -> void:
	for turn: int in number:
		await _tree.physics_frame


## `await check.until(func(): return door.open)`: waits until it is true, and fails if it does not become true.
func until(condition: Callable, most_frames := 300, note := "") -> bool:
	for turn: int in most_frames:
		if condition.call():
			return true
		await _tree.process_frame
	return _failed("did not come true within %d frames" % most_frames, note)


## `await check.emits(player.died)`: waits for a signal, and fails if it is not emitted.
func emits(source: Signal, most_frames := 300, note := "") -> bool:
	var heard := [false]
	var object := source.get_object()
	var wanted := 0
	for known: Dictionary in object.get_signal_list():
		if known.name == source.get_name():
			wanted = known.args.size()
	var listener := (func() -> void: heard[0] = true).unbind(wanted)
	source.connect(listener)
	for turn: int in most_frames:
		if heard[0]:
			break
		await _tree.process_frame
	if is_instance_valid(object):
		source.disconnect(listener)
	return heard[0] or _failed("%s was not emitted within %d frames" % [source.get_name(), most_frames], note)


func _that(holds: bool, what: String, got: Variant, expected: Variant, note: String) -> bool:
	return holds or _failed(what, note, {"got": _text(got), "expected": _text(expected)})


func _failed(what: String, note: String, values := {}) -> bool:
	var stack := _stack()
	var message := what if note == "" else "%s: %s" % [note, what]
	var failure := {"message": "After the test ended: %s. Await the call." % message if has_ended else message,
		"stack": stack}
	failures.append(failure.merged(values))
	return false


## Values of different types differ; comparing some of them is an error in the engine.
func _same(a: Variant, b: Variant) -> bool:
	if typeof(a) == typeof(b) or _is_number(a) and _is_number(b) or _is_text(a) and _is_text(b):
		return a == b
	return a == null and _is_freed(b) or b == null and _is_freed(a)


func _is_near(a: Variant, b: Variant, tolerance: float) -> bool:
	if _is_number(a) and _is_number(b):
		return absf(a - b) <= tolerance
	if typeof(a) != typeof(b):
		return false
	match typeof(a):
		TYPE_VECTOR2, TYPE_VECTOR3, TYPE_VECTOR4:
			return (a - b).length() <= tolerance
		TYPE_COLOR:
			return Vector4(a.r - b.r, a.g - b.g, a.b - b.b, a.a - b.a).length() <= tolerance
	return a == b


func _is_freed(value: Variant) -> bool:
	return typeof(value) == TYPE_OBJECT and not is_instance_valid(value)


func _is_number(value: Variant) -> bool:
	return value is int or value is float


func _is_text(value: Variant) -> bool:
	return value is String or value is StringName


func _text(value: Variant) -> String:
	return (str(value) if typeof(value) == TYPE_OBJECT else var_to_str(value)).left(MAX_VALUE_LENGTH)


## The stack from the check outwards, without the runner's own frames.
func _stack() -> Array:
	var here: String = get_script().resource_path.get_base_dir()
	var out := []
	if Engine.has_method("capture_script_backtraces"):
		for trace: RefCounted in Engine.call("capture_script_backtraces", false):
			for index: int in trace.get_frame_count():
				out.append({"file": trace.get_frame_file(index), "line": trace.get_frame_line(index),
					"function": trace.get_frame_function(index)})
	else:
		for frame: Dictionary in get_stack():
			out.append({"file": frame.source, "line": frame.line, "function": frame.function})
	return out.filter(func(frame: Dictionary) -> bool: return not frame.file.begins_with(here))
