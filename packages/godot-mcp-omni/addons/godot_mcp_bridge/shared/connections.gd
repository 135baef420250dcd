@tool
extends RefCounted
## Connections of signals in a scene.

const Change := preload("change.gd")
const Failure := preload("failure.gd")
const FromJson := preload("from_json.gd")
const SceneView := preload("scene_view.gd")
const Scripts := preload("scripts.gd")
const Values := preload("values.gd")

const FLAGS := {
	"deferred": CONNECT_DEFERRED,
	"one_shot": CONNECT_ONE_SHOT,
	"reference_counted": CONNECT_REFERENCE_COUNTED,
}

## Object.CONNECT_INHERITED, which scripts cannot access: the base scene or an instance makes the connection.
const INHERITED := 32


static func add(change: Change, view: SceneView, node: Node, target: Node, edit: Dictionary) -> Variant:
	var refused: Variant = _check(node, target, edit)
	if refused is Failure:
		return refused
	if _existing(node, target, edit) != null:
		return Failure.schema("\"%s\" of \"%s\" is connected to \"%s\" of \"%s\" already." % [
				edit.signal, view.path_of(node), edit.method, view.path_of(target)])
	var flags := CONNECT_PERSIST
	for flag: Variant in edit.get("flags", []):
		if not FLAGS.has(flag):
			return Failure.unknown("flag", str(flag), FLAGS.keys(), "E_SCHEMA_VALIDATION")
		flags |= FLAGS[flag]
	var callable := Callable(target, edit.method)
	if edit.get("unbinds", 0) > 0:
		callable = callable.unbind(edit.unbinds)
	if not edit.get("binds", []).is_empty():
		var binds: Variant = FromJson.decode(edit.binds, {"type": TYPE_ARRAY, "hint": 0}, [], view.root)
		if binds is Failure:
			return binds.at("binds")
		callable = callable.bindv(binds)
	change.do(node.connect.bind(edit.signal, callable, flags), node.disconnect.bind(edit.signal, callable))
	return null


static func remove(change: Change, view: SceneView, node: Node, target: Node, edit: Dictionary) -> Variant:
	var existing: Variant = _existing(node, target, edit)
	if existing == null or existing.flags & INHERITED:
		return Failure.not_found("\"%s\" of \"%s\" is not connected to \"%s\" of \"%s\" in this scene's file." % [
				edit.get("signal"), view.path_of(node), edit.get("method"), view.path_of(target)],
				{"connections": of(view, node)})
	_drop(change, existing)
	return null


## The connections of one node that are in the scene's file.
static func of(view: SceneView, node: Node, signal_name := "") -> Array:
	var out := []
	for connection: Dictionary in persistent(node):
		if connection.flags & INHERITED:
			continue
		var target: Object = connection.callable.get_object()
		if signal_name != "" and connection.signal.get_name() != signal_name:
			continue
		if not target is Node or not (target == view.root or view.root.is_ancestor_of(target)):
			continue
		var row := {
			"node": view.path_of(node), "signal": str(connection.signal.get_name()),
			"to": view.path_of(target), "method": str(connection.callable.get_method()),
		}
		var flags := FLAGS.keys().filter(func(flag: String) -> bool: return connection.flags & FLAGS[flag])
		if not flags.is_empty():
			row["flags"] = flags
		var binds: Array = connection.callable.get_bound_arguments()
		if not binds.is_empty():
			row["binds"] = Values.encode(binds, view.root)
		if connection.callable.get_unbound_arguments_count() > 0:
			row["unbinds"] = connection.callable.get_unbound_arguments_count()
		out.append(row)
	return out


## The connections from one node that are saved, as the engine lists them.
static func persistent(node: Node) -> Array:
	var out := []
	for info: Dictionary in node.get_signal_list():
		for connection: Dictionary in node.get_signal_connection_list(info.name):
			if connection.flags & CONNECT_PERSIST:
				out.append(connection)
	return out


## Removes connections between a subtree and the rest of the scene before the subtree is removed.
static func drop_outside(change: Change, root: Node, subtree: Node) -> void:
	for connection: Dictionary in _across(root, subtree):
		_drop(change, connection)


static func _across(from: Node, subtree: Node) -> Array:
	if from == subtree:
		return []
	var out := persistent(from).filter(func(connection: Dictionary) -> bool:
		var target: Object = connection.callable.get_object()
		return target is Node and (target == subtree or subtree.is_ancestor_of(target)))
	for child: Node in from.get_children():
		out.append_array(_across(child, subtree))
	return out


static func _drop(change: Change, connection: Dictionary) -> void:
	var node: Object = connection.signal.get_object()
	var name: StringName = connection.signal.get_name()
	change.do(node.disconnect.bind(name, connection.callable),
			node.connect.bind(name, connection.callable, connection.flags))


static func _existing(node: Node, target: Node, edit: Dictionary) -> Variant:
	for connection: Dictionary in persistent(node):
		if connection.signal.get_name() == edit.get("signal") and connection.callable.get_object() == target \
				and connection.callable.get_method() == edit.get("method"):
			return connection
	return null


static func _check(node: Node, target: Node, edit: Dictionary) -> Variant:
	if not edit.get("signal") is String or not edit.get("method") is String:
		return Failure.schema("A connection needs \"signal\" and \"method\".")
	if not node.has_signal(edit.signal):
		return Failure.unknown("signal", edit.signal, _names(node.get_signal_list()))
	# A script does not run in the editor, so its methods come from the script resource.
	var methods := _names(target.get_method_list()) + Scripts.method_names(target.get_script())
	if not methods.has(edit.method):
		return Failure.unknown("method", edit.method, methods)
	return null


static func _names(list: Array) -> Array:
	return list.map(func(info: Dictionary) -> String: return info.name)
