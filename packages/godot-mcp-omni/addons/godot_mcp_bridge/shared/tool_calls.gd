@tool
extends RefCounted
## Calls a static function of the project's scripts, which the project offers to agents as a tool.

const Failure := preload("failure.gd")
const FreshFiles := preload("fresh_files.gd")
const FromJson := preload("from_json.gd")
const ResPath := preload("res_path.gd")
const Types := preload("types.gd")
const Values := preload("values.gd")


## Returns the value of the function, and the edits of a scene if it returns a dictionary with `edits`.
static func run(params: Dictionary, log: RefCounted) -> Variant:
	var script: Variant = ResPath.load_resource(params.get("path"), "GDScript")
	if script is Failure:
		return script
	var compiles := FreshFiles.compile(script)
	var method := _method(script, str(params.get("function")))
	if not compiles or method.is_empty():
		return Failure.unsupported("%s does not compile, or has no static function %s." % [params.path, params.get("function")],
				{}, "Run godot_diagnostics scripts.")
	var root: Variant = _scene(params.get("scene"))
	if root is Failure:
		return root
	var answer: Variant = await _answer(script, method, params, root, log)
	if root != null:
		root.free()
	return answer


static func _answer(script: GDScript, method: Dictionary, params: Dictionary, root: Node, log: RefCounted) -> Variant:
	var arguments: Variant = _arguments(method, params.get("args", {}), root)
	if arguments is Failure:
		return arguments
	var start: int = log.count if log != null else 0
	var value: Variant = await script.callv(method.name, arguments)
	var problems := _errors(log, start)
	if not problems.is_empty():
		return Failure.unsupported("%s ended in a script error: %s" % [method.name, problems[0]], {"errors": problems})
	if not value is Dictionary:
		return {"value": Values.encode(value, root)}
	if value.get("error") is String:
		return Failure.unsupported(value.error)
	var rest: Dictionary = value.duplicate()
	var out := {}
	if rest.get("edits") is Array:
		out["edits"] = Values.encode(rest.edits, root)
		rest.erase("edits")
	if rest.get("scene") is String:
		out["scene"] = rest.scene
		rest.erase("scene")
	return out.merged({"value": Values.encode(rest, root)})


static func _method(script: GDScript, name: String) -> Dictionary:
	for method: Dictionary in script.get_script_method_list():
		if method.name == name and method.flags & METHOD_FLAG_STATIC:
			return method
	return {}


## A copy of a scene for a function to read; its changes to the copy are discarded.
static func _scene(path: Variant) -> Variant:
	if path == null:
		return null
	var packed: Variant = ResPath.load_resource(path, "PackedScene")
	if packed is Failure:
		return packed
	var root: Node = packed.instantiate()
	return root if root != null else Failure.unsupported("%s cannot be instantiated." % path)


static func _arguments(method: Dictionary, given: Dictionary, root: Node) -> Variant:
	var out := []
	var first_default: int = method.args.size() - method.default_args.size()
	var last := 0
	for index: int in method.args.size():
		if given.has(method.args[index].name) or index < first_default:
			last = index + 1
	for index: int in last:
		var info: Dictionary = method.args[index]
		var is_node := Types.is_node_class(Types.class_of_property(info))
		if is_node and root == null:
			return Failure.schema("%s is a node: add scene." % info.name)
		if not given.has(info.name) and not is_node:
			out.append(method.default_args[index - first_default])
			continue
		var element := Types.element_by_hint(info)
		var typed: Variant = Array([], element.type, element.class_name, null) if info.type == TYPE_ARRAY else null
		var value: Variant = FromJson.decode(given.get(info.name, "."), info, typed, root)
		if value is Failure:
			return value.at(str(info.name))
		out.append(value)
	return out


static func _errors(log: RefCounted, start: int) -> Array:
	if log == null:
		return []
	return log.since(start).filter(func(entry: Dictionary) -> bool: return entry.severity == "script_error") \
			.map(func(entry: Dictionary) -> String: return "%s (%s:%s)" % [entry.message, entry.path, entry.line])
